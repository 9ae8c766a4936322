package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits of Envoy's files that change while calls are made: what was used stays used. */
@Timeout(60)
class DescriptorReloadIT {
  private static final int KEYS = 3;
  private static final int CALLERS = 4;
  private static final RedisServer redis = RedisServer.shared();

  @TempDir private Path folder;

  private Rig start(String... flags) throws Exception {
    String[] usual = {
      "--decision", "127.0.0.1:0", "--ratelimit-config", folder.toString(), "--event-loops", "2"
    };
    return Rig.patient(
        "auto", Stream.concat(Stream.of(usual), Stream.of(flags)).toArray(String[]::new));
  }

  /** One limit, of days: nothing comes back meanwhile. */
  private void write(String options, int perUnit) throws IOException {
    Files.writeString(
        folder.resolve("edge.yaml"),
        "domain: edge\ndescriptors:\n  - {key: user, weir: {"
            + options
            + "}, rate_limit: {unit: year, requests_per_unit: "
            + perUnit
            + "}}\n");
  }

  private static void reload(Rig rig) {
    rig.sidecar.reload();
    rig.awaitLoops();
  }

  private static boolean passes(HttpClient client, Rig rig, String user) throws Exception {
    String call =
        "{\"domain\":\"edge\",\"descriptors\":[{\"entries\":[{\"key\":\"user\",\"value\":\""
            + user
            + "\"}]}]}";
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + rig.decisionPort() + "/json"))
            .version(HttpClient.Version.HTTP_1_1)
            .POST(HttpRequest.BodyPublishers.ofString(call))
            .build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    assertTrue(answer.statusCode() == 200 || answer.statusCode() == 429, answer.body());
    return answer.statusCode() == 200;
  }

  /**
   * A paced limit counts from when a key came under it, and rounds up what was used if the clock of
   * the call that carries it over is behind. So the next change waits until each key has been
   * charged under the present limit, and each call that may have begun before that has ended.
   *
   * @param former the limit before: more have passed only by the present one.
   */
  private static void awaitCalls(
      AtomicIntegerArray passed, int former, AtomicIntegerArray answered, List<Throwable> faults) {
    awaitEach(passed, key -> former, faults);
    int[] before = IntStream.range(0, CALLERS).map(answered::get).toArray();
    awaitEach(answered, caller -> before[caller], faults);
  }

  /** Waits until each count is above another one, or a caller has failed. */
  private static void awaitEach(
      AtomicIntegerArray counts, IntUnaryOperator above, List<Throwable> faults) {
    Await.until(
        "more calls under the present limit",
        () ->
            !faults.isEmpty()
                || IntStream.range(0, counts.length())
                    .allMatch(i -> counts.get(i) > above.applyAsInt(i)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gcra", "sliding-counter", "token-bucket"})
  void callsOfSeveralEventLoopsFindNoFreshBudget(String algorithm) throws Exception {
    int first = 40;
    int changes = 12;
    int more = 10;
    int last = first + changes * more;
    write("algorithm: " + algorithm, first);
    AtomicIntegerArray passed = new AtomicIntegerArray(KEYS);
    AtomicIntegerArray answered = new AtomicIntegerArray(CALLERS);
    AtomicBoolean hasEnded = new AtomicBoolean();
    List<Throwable> faults = new CopyOnWriteArrayList<>();
    try (Rig rig = start()) {
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        int number = i;
        Thread caller =
            new Thread(
                () -> {
                  HttpClient client = HttpClient.newHttpClient();
                  try {
                    for (int call = 0; !hasEnded.get(); call++) {
                      int key = call % KEYS;
                      passed.addAndGet(key, passes(client, rig, "k" + key) ? 1 : 0);
                      answered.incrementAndGet(number);
                    }
                  } catch (Exception | AssertionError failed) {
                    faults.add(failed);
                  }
                });
        caller.start();
        callers.add(caller);
      }
      int former = 0;
      for (int limit = first; limit < last; limit += more) {
        if (limit == first || !algorithm.equals("sliding-counter")) {
          awaitCalls(passed, former, answered, faults);
        }
        former = limit;
        write("algorithm: " + algorithm, limit + more);
        reload(rig);
      }
      hasEnded.set(true);
      for (Thread caller : callers) {
        caller.join();
      }
      // Alone: a call is also refused while another holds the state that it moves.
      HttpClient client = HttpClient.newHttpClient();
      for (int i = 0; i < KEYS; i++) {
        while (passes(client, rig, "k" + i)) {
          passed.incrementAndGet(i);
        }
      }
    }
    assertEquals(List.of(), faults);
    for (int i = 0; i < KEYS; i++) {
      assertEquals(last, passed.get(i), "k" + i + ": " + passed);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mode: exact, refused-hits: spare", "mode: leased, refused-hits: spare"})
  void aRaisedLimitOfTheStoreBitesAtOnce(String options) throws Exception {
    String[] flags = {
      "--redis.nodes",
      "127.0.0.1:" + redis.port(),
      "--redis.deadline",
      "1s",
      "--service",
      "reload" + options.hashCode()
    };
    HttpClient client = HttpClient.newHttpClient();
    write(options, 6);
    try (Rig one = start(flags);
        Rig two = start(flags)) {
      Await.until("the store decides", () -> passes(client, one, "first"));
      Await.until("the store decides", () -> passes(client, two, "first"));
      int passed = 0;
      for (int i = 0; i < 20; i++) {
        passed += passes(client, i % 2 == 0 ? one : two, "ann") ? 1 : 0;
      }
      assertEquals(6, passed);
      write(options, 8);
      reload(one);
      reload(two);
      for (int i = 0; i < 20; i++) {
        passed += passes(client, i % 2 == 0 ? one : two, "ann") ? 1 : 0;
      }
      assertEquals(8, passed);
    }
  }

  @Test
  void aLimitThatCountsRefusedHitsGoesOnUnderAnotherNumber() throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    write("mode: local", 2);
    try (Rig rig = start()) {
      int passed = 0;
      for (int i = 0; i < 5; i++) {
        passed += passes(client, rig, "ann") ? 1 : 0;
      }
      assertEquals(2, passed);
      write("mode: local", 7);
      reload(rig);
      for (int i = 0; i < 5; i++) {
        passed += passes(client, rig, "ann") ? 1 : 0;
      }
      assertEquals(4, passed); // five were counted
    }
  }
}
