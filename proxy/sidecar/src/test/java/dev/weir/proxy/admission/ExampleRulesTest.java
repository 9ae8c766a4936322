package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.EchoService;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.v1.CheckRateLimitResult;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.Dimension;
import dev.weir.v1.RateLimiterGrpc;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rules that many services have, with their numbers, in each way to ask; time stands still. */
@Timeout(60)
class ExampleRulesTest {
  private static final String USER = "identities: {user: header:x-user-id}\n";
  private static final String PATH = "/shop.Cart/Add";

  private final AtomicLong nowNs = new AtomicLong(Rig.nextNoonNs());

  private Rig rig(String rules) throws Exception {
    return Rig.ofFile(Rig.preferredTransport(), FourWays.SETTINGS + rules, nowNs::get);
  }

  private void pass(Duration time) {
    nowNs.addAndGet(time.toNanos());
  }

  private static List<FourWays.Way> all(FourWays ways) {
    List<FourWays.Way> all = new ArrayList<>(ways.all());
    all.add(ways::overGrpc);
    return all;
  }

  /** How many requests of some pass. */
  private static int passed(FourWays.Way way, int count, String user) throws Exception {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      passed += way.ask(PATH, user).isEmpty() ? 1 : 0;
    }
    return passed;
  }

  /** Whether a user may take so many units each, by the decision API. */
  private static List<Boolean> take(Rig rig, int users, int units) {
    CheckRateLimitsRequest.Builder batch = CheckRateLimitsRequest.newBuilder();
    for (int user = 0; user < users; user++) {
      batch
          .addChecksBuilder()
          .setIdentifier("user-" + user)
          .setDimension(Dimension.USER)
          .setEndpoint(PATH)
          .setCost(units);
    }
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", rig.decisionPort()).usePlaintext().build();
    List<CheckRateLimitResult> results =
        RateLimiterGrpc.newBlockingStub(channel).checkRateLimits(batch.build()).getResultsList();
    channel.shutdownNow();
    return results.stream().map(each -> each.getResponse().getAllowed()).toList();
  }

  @Test
  void of150AtOnce100PassAndTheOthersWaitASecond() throws Exception {
    try (Rig rig = rig(USER + "rules:\n  - {id: api, key: user, limit: 100/1m}\n");
        FourWays ways = new FourWays(rig)) {
      for (FourWays.Way way : all(ways)) {
        String user = "user-" + way.hashCode();
        assertEquals(100, passed(way, 150, user));
        assertEquals(1, ways.retryAfterSeconds());
        pass(Duration.ofMillis(599));
        assertEquals(0, passed(way, 1, user));
        pass(Duration.ofMillis(1));
        assertEquals(1, passed(way, 2, user));
      }
      for (int i = 0; i < 150; i++) {
        assertEquals(i < 100, all(ways).get(i % 5).ask(PATH, "of-all-ways").isEmpty());
      }
    }
  }

  @Test
  void theTwentiethRefusalBansFor15MinutesAndTheNextTimeForAnHour() throws Exception {
    String rule = "limit: 5/15m, key: ip, ban: {after: 20/15m, for: [15m, 1h]}}\n";
    try (Rig rig = rig("rules:\n  - {id: log-in, " + rule)) {
      for (int waitSeconds : new int[] {900, 3600, 3600}) {
        try (FourWays ways = new FourWays(rig)) {
          for (int i = 0; i < 5; i++) {
            FourWays.Way way = all(ways).get(i);
            ways.as("a", "203.0.113." + i);
            assertEquals(5, passed(way, 6, "ann"));
            assertEquals(180, ways.retryAfterSeconds());
            assertEquals(0, passed(way, 18, "ann"));
            assertEquals(180, ways.retryAfterSeconds());
            assertEquals(0, passed(way, 1, "ann"));
            assertEquals(waitSeconds, ways.retryAfterSeconds());
          }
        }
        pass(Duration.ofSeconds(waitSeconds).minusMillis(1));
        try (FourWays ways = new FourWays(rig)) {
          for (int i = 0; i < 5; i++) {
            ways.as("a", "203.0.113." + i);
            assertEquals(0, passed(all(ways).get(i), 1, "bob"));
            assertEquals(1, ways.retryAfterSeconds());
          }
        }
        pass(Duration.ofMillis(1));
      }
    }
  }

  @Test
  void of10000ADayTheLast10PassAndTheOthersWaitForMidnight() throws Exception {
    String limit = "{name: daily, limit: 10000/1d, algorithm: fixed-window, align: day, key: user}";
    try (Rig rig = rig(USER + "rules:\n  - id: api\n    limits:\n      - " + limit + "\n")) {
      for (int waitSeconds : new int[] {12 * 3600, 24 * 3600}) {
        assertEquals(List.of(true), take(rig, 1, 9_990));
        try (FourWays ways = new FourWays(rig)) {
          for (FourWays.Way way : all(ways)) {
            assertEquals(2, passed(way, 2, "user-0"));
          }
          for (FourWays.Way way : all(ways)) {
            assertEquals(0, passed(way, 1, "user-0"));
            assertEquals(waitSeconds, ways.retryAfterSeconds());
          }
          pass(Duration.ofSeconds(waitSeconds).minusMillis(1));
        }
        assertEquals(List.of(false), take(rig, 1, 1));
        pass(Duration.ofMillis(1));
      }
    }
  }

  /** Sends messages as its stream takes them, and counts those that come back. */
  private static final class Chat extends ClientCall.Listener<byte[]> {
    private static final int MESSAGES = 25;

    private static final MethodDescriptor.Marshaller<byte[]> BYTES =
        new MethodDescriptor.Marshaller<>() {
          @Override
          public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
          }

          @Override
          public byte[] parse(InputStream message) {
            try {
              return message.readAllBytes();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        };

    private static final MethodDescriptor<byte[], byte[]> METHOD =
        MethodDescriptor.newBuilder(BYTES, BYTES)
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName("chat.Chat/Talk")
            .build();

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger echoed = new AtomicInteger();
    private final CompletableFuture<Status> end = new CompletableFuture<>();
    private final ManagedChannel channel;
    private final ClientCall<byte[], byte[]> call;

    Chat(Rig rig) {
      channel = ManagedChannelBuilder.forAddress("127.0.0.1", rig.port()).usePlaintext().build();
      call = channel.newCall(METHOD, CallOptions.DEFAULT);
      call.start(this, new Metadata());
      call.request(MESSAGES + 1);
    }

    @Override
    public void onReady() {
      while (call.isReady() && sent.get() < MESSAGES) {
        call.sendMessage(new byte[32 * 1024]);
        if (sent.incrementAndGet() == MESSAGES) {
          call.halfClose();
        }
      }
    }

    @Override
    public void onMessage(byte[] message) {
      echoed.incrementAndGet();
    }

    @Override
    public void onClose(Status status, Metadata trailers) {
      end.complete(status);
      channel.shutdownNow();
    }
  }

  private static String chat(EchoService service, String algorithm) {
    String rule = "match: {grpc: chat.Chat}, cost: messages, limit: 10/1s, algorithm: ";
    return "upstream: " + service.url() + "\nrules:\n  - {id: chat, " + rule + algorithm + "}\n";
  }

  @Test
  void of25MessagesInAQueueAllPassIn2400MsAndFlowControlHoldsTheClient() throws Exception {
    try (EchoService service = new EchoService();
        Rig rig = rig(chat(service, "leaky-bucket, overflow: queue"))) {
      Chat chat = new Chat(rig);
      for (int passed = 1; passed < Chat.MESSAGES; passed++) {
        int wanted = passed;
        Await.until("message " + wanted, () -> chat.echoed.get() >= wanted);
        rig.await("weir_requests_waiting", 1);
        assertEquals(wanted, chat.echoed.get());
        assertTrue(chat.sent.get() <= wanted + 8, chat.sent + " sent, " + wanted + " passed");
        pass(Duration.ofMillis(100));
      }
      assertEquals(Status.Code.OK, chat.end.get(30, TimeUnit.SECONDS).getCode());
      assertEquals(Chat.MESSAGES, chat.echoed.get());
    }
  }

  @Test
  void of25MessagesOverGcra10PassAndTheStreamEnds() throws Exception {
    try (EchoService service = new EchoService();
        Rig rig = rig(chat(service, "gcra"))) {
      Chat chat = new Chat(rig);
      Status.Code end = chat.end.get(30, TimeUnit.SECONDS).getCode();
      assertEquals(Status.Code.RESOURCE_EXHAUSTED, end);
      rig.await("weir_decisions_total{outcome=\"refused\",rule=\"chat\"}", 1);
      rig.await("weir_decisions_total{outcome=\"allowed\",rule=\"chat\"}", 10);
    }
  }

  @Test
  void of1000UsersOverTheirLimitTheSame100AreRefusedInEachWayAndAfterARestart() throws Exception {
    String file =
        USER
            + "table: {keys: 10000}\n"
            + "rules:\n  - {id: chat, key: user, limit: 50/1m, enforce: 10%}\n";
    Set<Integer> first = new TreeSet<>();
    for (boolean isFirst : new boolean[] {true, false}) {
      try (Rig rig = rig(file);
          FourWays ways = new FourWays(rig)) {
        assertTrue(take(rig, 1000, 50).stream().allMatch(allowed -> allowed));
        for (int user = 0; user < 1000; user++) {
          List<FourWays.Way> asked = isFirst ? all(ways) : List.of(all(ways).get(user % 5));
          int refusals = 0;
          for (FourWays.Way way : asked) {
            refusals += 1 - passed(way, 1, "user-" + user);
          }
          if (refusals > 0 && isFirst) {
            first.add(user);
          }
          assertEquals(first.contains(user) ? asked.size() : 0, refusals, "user-" + user);
        }
        if (isFirst) {
          assertTrue(first.size() > 70 && first.size() < 130, first.size() + " are refused");
          String passed = "{outcome=\"dry_run_refused\",rule=\"chat\"}";
          int others = 1000 - first.size();
          assertEquals(3 * others, rig.metric("weir_decisions_total" + passed));
          assertEquals(2 * others, rig.metric("weir_decision_checks_total" + passed));
        }
      }
    }
  }

  @Test
  void aPartnerHasNoLimitAndWhoSendsItsHeadersHas20ASecond() throws Exception {
    String rules =
        """
        rules:
          - id: partner
            match: {host: api.example.com, cidr: [198.51.100.0/24]}
            action: unlimited
          - {id: others, limit: 20/1s}
        """;
    try (Rig rig = rig(rules);
        FourWays ways = new FourWays(rig)) {
      for (int i = 0; i < 5; i++) {
        FourWays.Way way = all(ways).get(i);
        ways.as("api.example.com", "198.51.100.7");
        assertEquals(50, passed(way, 50, "ann"));
        // The decision API takes an address, and no field that a client could have begun.
        ways.as("api.example.com", (i == 3 ? "" : "198.51.100.7, ") + "203.0.113." + i);
        assertEquals(20, passed(way, 30, "ann"));
        assertEquals(1, ways.retryAfterSeconds());
        pass(Duration.ofSeconds(1));
        assertEquals(20, passed(way, 30, "ann"));
      }
    }
  }
}
