package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.scripts.server.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules that change while all event loops decide by them. */
@Timeout(120)
class ReloadLoadIT {
  private static final int LIMIT = 200;
  private static final int RELOADS = 15;
  private static final int CLIENTS = 8;
  private static final String REQUEST = "GET / HTTP/1.1\r\nHost: a\r\nX-User: user\r\n\r\n";
  private static final String[] ALGORITHMS = {"gcra", "fixed-window", "sliding-log"};

  private static RuleSet rules(int limit, String algorithm, RuleSet before) {
    Faults faults = Faults.ofFlags();
    Map<String, String> flags =
        Map.of(
            "--upstream",
            "http://127.0.0.1:1",
            "--key",
            "header:x-user",
            "--limit",
            limit + "/365d",
            "--algorithm",
            algorithm);
    return SettingsFlags.read(flags, faults).rules().compile(before);
  }

  /** Each new limit has one more than the last: in all no more may pass than the last has. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void givesNothingAwayOnAnyOfTwoEventLoopsHoweverOftenALimitChanges(String transport)
      throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger answered = new AtomicInteger();
    try (Rig rig =
        new Rig(
            transport,
            "--event-loops",
            "2",
            "--key",
            "header:x-user",
            "--limit",
            LIMIT + "/365d",
            "--table.ring-cells",
            "256")) {
      List<Future<Integer>> passed = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Callable<Integer> ask =
            () -> {
              int count = 0;
              try (RawClient client = rig.connect()) {
                while (!done.get()) {
                  int status = client.send(REQUEST).read().status();
                  assertTrue(status == 200 || status == 429, "status " + status);
                  count += status == 200 ? 1 : 0;
                  answered.incrementAndGet();
                }
              }
              return count;
            };
        passed.add(threads.submit(ask));
      }
      for (int reload = 1; reload <= RELOADS; reload++) {
        int until = answered.get() + 20 * CLIENTS;
        Await.until("under load", () -> answered.get() >= until || anyIsDone(passed));
        String algorithm = ALGORITHMS[reload % ALGORITHMS.length];
        rig.sidecar.publish(rules(LIMIT + reload, algorithm, rig.sidecar.rules()));
      }
      rig.awaitLoops();
      int until = answered.get() + 100 * CLIENTS;
      Await.until("under load", () -> answered.get() >= until || anyIsDone(passed));
      done.set(true);
      int sum = 0;
      for (Future<Integer> each : passed) {
        sum += each.get(60, TimeUnit.SECONDS);
      }
      assertEquals(LIMIT + RELOADS, sum);
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
  }

  /** A client that ends before all are told to has failed. */
  private static boolean anyIsDone(List<Future<Integer>> clients) {
    return clients.stream().anyMatch(Future::isDone);
  }
}
