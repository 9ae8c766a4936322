package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.lease.SharedLeases;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.RuleCounters;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.Store;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreNode;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A caller that names rules and gives identities, beside traffic, on two event loops and Redis. */
class SecondCallerIT {
  private static final int LOOPS = 2;

  private final Metrics metrics = new Metrics();
  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  private final SharedLeases leases = new SharedLeases();
  private final List<Loop> loops = new ArrayList<>();
  private RedisServer redis;
  private EventLoopGroup group;
  private Store store;

  private record Loop(
      EventLoop eventLoop, LoopClock clock, AdmissionHandler admission, LoopMetrics metrics) {}

  /** A verdict, copied. */
  private record Said(RefusalReason refusal, long remaining, long[] left) {
    static Said of(Verdict verdict) {
      long[] left = new long[2];
      for (int i = 0; i < left.length; i++) {
        left[i] = verdict.row(i) == null ? -1 : verdict.row(i).remaining();
      }
      return new Said(verdict.refusal(), verdict.remaining(), left);
    }

    boolean allowed() {
      return refusal == null;
    }
  }

  private void start(BudgetSpec.Builder... limits) throws Exception {
    redis = RedisKind.EMBEDDED.start();
    Transport transport = Transport.of(TransportKind.NIO);
    group = new MultiThreadIoEventLoopGroup(LOOPS, transport.handlerFactory());
    StoreSettings settings =
        new StoreSettings(
            List.of(new StoreNode(new InetSocketAddress("127.0.0.1", redis.port()), 1)),
            Topology.STANDALONE,
            null,
            StoreLogin.NONE,
            StoreLogin.NONE,
            0,
            false,
            null,
            TimeUnit.SECONDS.toNanos(5));
    store = new Store(settings, transport, "", () -> "", (peers, rank) -> {});
    RuleSpec spec = RuleSpec.builder("r").mode(Mode.EXACT).limits(List.of(limits)).build();
    RuleSet rules = RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0);
    for (EventExecutor executor : group) {
      loops.add(join((EventLoop) executor, settings, rules));
    }
    assertTrue(store.start(TimeUnit.SECONDS.toNanos(60)));
  }

  private Loop join(EventLoop eventLoop, StoreSettings settings, RuleSet rules) throws Exception {
    LoopClock clock = new LoopClock();
    Deadlines deadlines = new Deadlines(clock);
    eventLoop.submit(() -> deadlines.start(eventLoop)).sync();
    LoopMetrics own = metrics.newLoop();
    LocalGate local = new LocalGate(tables);
    LoopStore loopStore = store.join(eventLoop, clock, deadlines, own.store());
    ExactGate exact =
        new ExactGate(loopStore, settings, StoreNames.DEFAULT, local, clock, own.store());
    IdentityReader identities =
        new IdentityReader(
            IdentitySettings.DEFAULT,
            KeyHasher.withKey(1, 2),
            new ClientIpReader(IdentitySettings.DEFAULT),
            32 * 1024);
    LeasedGate leased =
        new LeasedGate(exact, leases, loopStore, settings, StoreNames.DEFAULT, clock, own);
    AdmissionHandler admission =
        new AdmissionHandler(
            new GateByMode(local, exact, leased, clock), identities, own, clock, eventLoop);
    eventLoop.submit(() -> admission.publish(rules)).sync();
    return new Loop(eventLoop, clock, admission, own);
  }

  @AfterEach
  void stop() {
    store.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    tables.close();
    leases.close();
    redis.close();
  }

  private static BudgetSpec.Builder limit(String rate, String key) {
    return new BudgetSpec.Builder()
        .algorithm(Algorithm.FIXED_WINDOW)
        .rate(Rate.parse(rate))
        .key(KeySpec.parse(key));
  }

  /** Asks on an event loop, and waits for what it is told. */
  private Said ask(int loop, UnaryOperator<Question> of) throws Exception {
    Loop at = loops.get(loop);
    CompletableFuture<Said> said = new CompletableFuture<>();
    at.eventLoop()
        .submit(
            () -> {
              long nowNs = at.clock().tick();
              Asked asked =
                  at.admission()
                      .ask(
                          of.apply(new Question()),
                          (own, late) -> said.complete(Said.of(late)),
                          nowNs);
              if (asked.verdict() != null) {
                said.complete(Said.of(asked.verdict()));
              }
            })
        .sync();
    return said.get(60, TimeUnit.SECONDS);
  }

  private Said get(int loop, String user) throws Exception {
    return ask(loop, question -> question.traffic(TextRequest.of("GET", "/", "x-user", user)));
  }

  private static Question about(Question question, Operation operation, String user) {
    byte[] bytes = user.getBytes(StandardCharsets.US_ASCII);
    return question
        .start(operation, Purpose.DECISION)
        .rule("r")
        .identity("header:x-user", new UnsafeBuffer(bytes), 0, bytes.length);
  }

  /** How many keys the store has for a user: it also has those of its trial, for a while. */
  private String keysOf(String user) throws Exception {
    return redis.text("EVAL", "return #redis.call('KEYS', '*:" + user + ":*')", "0");
  }

  @Test
  void looksChargesAndResetsTheBudgetsOfTrafficOnBothLoops() throws Exception {
    start(limit("10/365d", "header:x-user"));
    assertTrue(ask(0, question -> about(question, Operation.PEEK, "ann").cost(3)).allowed());
    assertEquals("0", keysOf("ann"), "who only looks leaves no trace");
    assertEquals(9, get(0, "ann").remaining());
    assertEquals("1", keysOf("ann"));
    assertEquals(
        2, ask(1, question -> about(question, Operation.CHECK, "ann").cost(7)).remaining());
    assertFalse(ask(0, question -> about(question, Operation.CHECK, "ann").cost(3)).allowed());
    assertTrue(get(1, "ann").allowed());
    assertTrue(get(0, "ann").allowed());
    for (int loop = 0; loop < LOOPS; loop++) { // each has its proof
      assertEquals(RefusalReason.OVER_LIMIT, get(loop, "ann").refusal());
      assertEquals(RefusalReason.OVER_LIMIT, get(loop, "ann").refusal());
    }
    long before = store.forgotten();
    assertTrue(ask(0, question -> about(question, Operation.RESET, "ann")).allowed());
    Await.until("every loop has been told", redis::log, () -> store.forgotten() > before);
    assertEquals(9, get(1, "ann").remaining());
    assertEquals(8, get(0, "ann").remaining());
    long counted = 0;
    for (Loop loop : loops) {
      counted += loop.metrics().rule("r").count(RuleCounters.Outcome.ALLOWED);
    }
    assertEquals(5, counted, "traffic alone");
  }

  @Test
  void aCheckThatIsRepeatedByItsNameIsChargedOnce() throws Exception {
    start(limit("10/365d", "header:x-user"));
    UnaryOperator<Question> first = question -> once(about(question, Operation.CHECK, "ann"), "k1");
    for (int i = 0; i < 4; i++) { // the first, and three repeats
      assertEquals(7, ask(i % LOOPS, question -> first.apply(question).cost(3)).remaining());
    }
    assertEquals(
        4, ask(0, question -> first.apply(question).cost(3)).remaining(), "no way round the limit");
    assertEquals(
        1,
        ask(0, question -> once(about(question, Operation.CHECK, "ann"), "k2").cost(3))
            .remaining());
    assertEquals(
        7,
        ask(0, question -> once(about(question, Operation.CHECK, "eve"), "k2").cost(3))
            .remaining());
    assertFalse(ask(0, question -> about(question, Operation.CHECK, "ann").cost(3)).allowed());
    assertTrue(
        ask(0, question -> once(about(question, Operation.CHECK, "ann"), "k2").cost(3)).allowed(),
        "what was granted stays granted, though a refusal is proven");
  }

  @Test
  void aRuleThatIsNotTheStoresAloneDecidesNothingOnce() throws Exception {
    start(limit("5/365d", "header:x-user").mode(Mode.LOCAL), limit("3/364d", "header:x-user"));
    assertEquals(
        RefusalReason.NOT_DECIDED_ONCE,
        ask(0, question -> once(about(question, Operation.CHECK, "ann"), "k")).refusal());
    assertEquals(4, get(0, "ann").remaining() + 2, "nothing was charged");
  }

  private static Question once(Question question, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    return question.once(new UnsafeBuffer(bytes), 0, bytes.length);
  }

  @Test
  void takesOfThisNodeAndOfTheStoreAllOrNone() throws Exception {
    start(limit("5/365d", "header:x-user").mode(Mode.LOCAL), limit("3/364d", "header:x-user"));
    UnaryOperator<Question> look = question -> about(question, Operation.PEEK, "ann").wantsRows();
    for (int i = 0; i < 3; i++) {
      assertTrue(get(i % LOOPS, "ann").allowed());
    }
    for (int i = 0; i < 8; i++) {
      assertEquals(RefusalReason.OVER_LIMIT, get(i % LOOPS, "ann").refusal());
    }
    long[] left = ask(0, look).left();
    assertEquals(2, left[0], "what the store refused was given back here, once");
    assertEquals(0, left[1]);
    assertTrue(ask(1, question -> about(question, Operation.RESET, "ann")).allowed());
    left = ask(0, look).left();
    assertEquals(5, left[0]);
    assertEquals(3, left[1]);
    assertTrue(ask(0, question -> about(question, Operation.CHECK, "ann").cost(0, 4)).allowed());
    assertEquals(1, ask(1, look).left()[0]);
    assertEquals(2, ask(1, look).left()[1]);
    UnaryOperator<Question> tooMuch =
        question -> about(question, Operation.CHECK, "ann").cost(0, 1).cost(1, 3);
    assertFalse(ask(1, tooMuch).allowed());
    assertEquals(1, ask(0, look).left()[0]);
  }
}
