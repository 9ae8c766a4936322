package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TimeOfDay;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreNode;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import dev.weir.scripts.ScriptLimit;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each kind of question, asked of a real server on an event loop, by a caller of its own. */
class StoreQuestionIT {
  private static final long DAY_US = 86_400_000_000L;
  private static final int LOOPS = 2;
  private static final String NAME = "rl:{p007}:d:alice:r";

  private final ScriptLimit[] days = {ScriptLimit.paced(10, 10, DAY_US)};
  private final ScriptLimit[] requestsAndTokens = {
    ScriptLimit.paced(10, 10, DAY_US), ScriptLimit.paced(1_000, 1_000, DAY_US)
  };
  private final ConcurrentLinkedQueue<String> forgotten = new ConcurrentLinkedQueue<>();
  private final List<LoopStore> stores = new ArrayList<>();
  private RedisServer redis;
  private EventLoopGroup group;
  private EventLoop eventLoop;
  private Store store;

  /** The store's answer to one question. */
  private record Answer(
      long granted,
      long remaining,
      long resetAfterNs,
      long retryAfterNs,
      long decidedAtUs,
      boolean replayed,
      boolean done) {}

  @BeforeEach
  void start() throws Exception {
    redis = RedisKind.EMBEDDED.start();
    Transport transport = Transport.of(TransportKind.NIO);
    group = new MultiThreadIoEventLoopGroup(LOOPS, transport.handlerFactory());
    StoreNode node = new StoreNode(new InetSocketAddress("127.0.0.1", redis.port()), 1);
    StoreSettings settings =
        new StoreSettings(
            List.of(node),
            Topology.STANDALONE,
            null,
            StoreLogin.NONE,
            StoreLogin.NONE,
            0,
            false,
            null,
            TimeUnit.SECONDS.toNanos(5));
    store = new Store(settings, transport, "", () -> "", (peers, rank) -> {});
    for (EventExecutor executor : group) {
      EventLoop loop = (EventLoop) executor;
      LoopClock clock = new LoopClock();
      Deadlines deadlines = new Deadlines(clock);
      loop.submit(() -> deadlines.start(loop)).sync();
      LoopStore joined = store.join(loop, clock, deadlines, new StoreObserver() {});
      joined.listen(new Listener());
      stores.add(joined);
    }
    eventLoop = (EventLoop) group.iterator().next();
    assertTrue(store.start(TimeUnit.SECONDS.toNanos(60)));
  }

  @AfterEach
  void stop() {
    store.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    redis.close();
  }

  @Test
  void asksForUpToSoManyAndGetsWhatThereIsWithTheRestAndTheTimes() throws Exception {
    Answer first = ask(new StoreQuestion().check(null, 0).of(name(), 0, days).upTo(8));
    assertEquals(8, first.granted());
    assertEquals(2, first.remaining());
    assertEquals(0, first.retryAfterNs());
    Answer second = ask(new StoreQuestion().check(null, 0).of(name(), 0, days).upTo(8));
    assertEquals(2, second.granted());
    assertEquals(0, second.remaining());
    assertTrue(second.retryAfterNs() > 0 && second.retryAfterNs() <= DAY_US / 10 * 1_000);
    assertTrue(second.resetAfterNs() > DAY_US * 900 && second.resetAfterNs() <= DAY_US * 1_000);
    Answer third = ask(new StoreQuestion().check(null, 0).of(name(), 0, days).upTo(8));
    assertEquals(0, third.granted());
  }

  @Test
  void aPeekSaysWhatACheckWouldGrantAndChargesNothing() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertEquals(
          10, ask(new StoreQuestion().peek(null, 0).of(name(), 0, days).upTo(20)).granted());
    }
    assertEquals("0", exists());
    assertEquals(4, ask(new StoreQuestion().check(null, 0).of(name(), 0, days).upTo(4)).granted());
    assertEquals(6, ask(new StoreQuestion().peek(null, 0).of(name(), 0, days).upTo(20)).granted());
  }

  @ParameterizedTest
  @ValueSource(ints = {63, 123, -63, -123, 60 * 50, -60 * 50})
  void windowsOfTheCalendarGoByTheServersTimeWhateverThisProcessBelieves(int minutesBehind)
      throws Exception {
    for (ChronoUnit unit : List.of(ChronoUnit.HOURS, ChronoUnit.DAYS)) {
      ScriptLimit[] limit = {ScriptLimit.calendarWindow(10, unit, ZoneOffset.UTC)};
      StoreKeys keys = keys(NAME + unit);
      try (TimeOfDay time = new TimeOfDay()) {
        time.setBehind(minutesBehind);
        assertEquals(
            9, ask(new StoreQuestion().check(null, 0).of(keys, 0, limit).upTo(9)).granted());
        time.setBehind(0);
        assertEquals(
            1, ask(new StoreQuestion().check(null, 0).of(keys, 0, limit).upTo(9)).granted());
        time.setBehind(minutesBehind);
        assertEquals(
            0, ask(new StoreQuestion().check(null, 0).of(keys, 0, limit).upTo(9)).granted());
      }
    }
  }

  @Test
  void aResetForgetsWhatWasConsumed() throws Exception {
    ask(new StoreQuestion().check(null, 0).of(name(), 0, days).upTo(10));
    assertEquals("1", exists());
    assertTrue(ask(new StoreQuestion().reset(null, 0).of(name(), 0, 1)).done());
    assertEquals("0", exists());
    assertFalse(ask(new StoreQuestion().reset(null, 0).of(name(), 0, 1)).done());
  }

  @Test
  void aRepeatWithOneKeyIsChargedOnce() throws Exception {
    StoreKeys keys = keys(NAME, NAME + ":once");
    Answer first = ask(new StoreQuestion().check(null, 0).of(keys, 0, days).cost(3).once());
    Answer again = ask(new StoreQuestion().check(null, 0).of(keys, 0, days).cost(3).once());
    assertFalse(first.replayed());
    assertTrue(again.replayed());
    assertEquals(1, again.granted());
    assertEquals(7, ask(new StoreQuestion().peek(null, 0).of(name(), 0, days)).remaining());
    assertTrue(ask(new StoreQuestion().reset(null, 0).of(keys, 0, 2)).done(), "and its record");
    assertFalse(
        ask(new StoreQuestion().check(null, 0).of(keys, 0, days).cost(3).once()).replayed());
  }

  @Test
  void aRefundGivesBackWithoutACallback() throws Exception {
    Answer granted = ask(new StoreQuestion().check(null, 0).of(name(), 0, days).upTo(10));
    StoreQuestion refund = new StoreQuestion().giveBack(0, granted.decidedAtUs(), 0);
    tell(refund.of(name(), 0, days).upTo(4));
    // Behind it in the same batch or a later one.
    assertTrue(ask(new StoreQuestion().peek(null, 0).of(name(), 0, days)).remaining() >= 3);
  }

  @Test
  void aDebtIsChargedWithoutACallback() throws Exception {
    tell(new StoreQuestion().debt().of(name(), 0, days).upTo(4));
    Await.until(
        "charged",
        redis::log,
        () -> ask(new StoreQuestion().peek(null, 0).of(name(), 0, days)).remaining() == 6);
  }

  @Test
  void aDebtIsOfWhatWasUsedAlone() throws Exception {
    StoreKeys keys = keys(NAME, NAME + ":run", NAME + ":tokens");
    ScriptLimit[] window = {ScriptLimit.fixedWindow(10, DAY_US, 0)};
    ScriptLimit[] limits = {days[0], ScriptLimit.concurrency(3), window[0]};
    tell(new StoreQuestion().debt().of(keys, 0, limits).cost(2, 0));
    tell(new StoreQuestion().debt().of(keys, 0, limits).cost(2, 4));
    Await.until(
        "charged",
        redis::log,
        () -> ask(new StoreQuestion().peek(null, 0).of(keys, 2, window)).remaining() == 6);
    assertEquals(8, ask(new StoreQuestion().peek(null, 0).of(keys, 0, days)).remaining());
  }

  @Test
  void eachLimitTakesACostOfItsOwn() throws Exception {
    StoreKeys keys = keys(NAME, NAME + ":tokens");
    StoreQuestion check = new StoreQuestion().check(null, 0).of(keys, 0, requestsAndTokens);
    Answer granted = ask(check.cost(1, 300).upTo(5));
    assertEquals(3, granted.granted());
    assertEquals(100, granted.remaining(), "tokens, as they are what is short");
  }

  @Test
  void unitsAreHeldUntilTheirHolderSaysWhatTheyCost() throws Exception {
    assertEquals("2 granted, 2 left, 8 held, [1]", held(holding(1, 4).upTo(3).held(0, 0, 0, true)));
    Held refused = ask(new Held(), holding(2, 4).held(0, 8, 0, false));
    assertEquals("0 granted, 2 left, 8 held, [1]", refused.told);
    assertFalse(refused.isUsedAlone);
    assertTrue(refused.server != 0);
    assertEquals(
        "0 granted, 0 left, 4 held, [1]", held(holding(3, 4).upTo(0).held(0, 4, 6, false)));
    Held used = ask(new Held(), holding(4, 6).upTo(1).held(0, 4, 6, false));
    assertTrue(used.isUsedAlone);
    assertTrue(used.retryAfterNs > 0 && used.retryAfterNs <= DAY_US / 5 * 1_000);
    assertEquals("0 granted, 0 left, 4 held, [2]", held(holding(4, 4).held(0, 0, 6, false)));
    StoreQuestion other = holding(5, 1).held(0, 0, 0, false).holder(8, 1, 10_000_000);
    assertEquals("0 granted, 0 left, 4 held, [3]", held(other));
    assertEquals(4, ask(new StoreQuestion().peek(null, 0).of(name(), 0, days)).remaining());
    assertEquals(
        "0 granted, 0 left, 4 held, []",
        held(new StoreQuestion().peek(null, 0).of(name(), 0, days).withHeld(0)));
  }

  @Test
  void aHoldChargesOtherLimitsAtOnceOrTakesNothing() throws Exception {
    ScriptLimit[] limits = {days[0], ScriptLimit.concurrency(3), days[0]};
    StoreKeys keys = keys(NAME, NAME + ":run", NAME + ":tokens");
    StoreQuestion hold = new StoreQuestion().hold(null, 0).of(keys, 0, limits);
    hold.held(1, 0, 0, true).held(2, 0, 0, true).cost(2, 4).upTo(5).holder(-1, 1, 10_000_000);
    assertEquals("2 granted, 2 left, 8 held, [0, 1, 1]", held(hold));
    assertEquals(8, ask(new StoreQuestion().peek(null, 0).of(name(), 0, days)).remaining());
    hold.hold(null, 0).of(keys, 0, limits).held(1, 2, 0, false).held(2, 8, 0, false);
    hold.cost(2, 4).holder(-1, 2, 10_000_000);
    assertEquals("0 granted, 2 left, 8 held, [0, 1, 1]", held(hold));
    assertEquals(8, ask(new StoreQuestion().peek(null, 0).of(name(), 0, days)).remaining());
  }

  private StoreQuestion holding(long sequence, long reserve) {
    StoreQuestion hold = new StoreQuestion().hold(null, 0).of(name(), 0, days);
    return hold.cost(reserve).holder(7, sequence, 10_000_000);
  }

  private String held(StoreQuestion question) throws Exception {
    return ask(new Held(), question).told;
  }

  private Held ask(Held callback, StoreQuestion question) throws Exception {
    question.callback = callback;
    boolean isPeek = question.operation == StoreQuestion.Operation.PEEK;
    callback.limits = isPeek ? 0 : question.limits.length;
    tell(question);
    return callback.answer.get(60, TimeUnit.SECONDS);
  }

  /** What a holder is told. */
  private static final class Held implements StoreCallback {
    private final CompletableFuture<Held> answer = new CompletableFuture<>();
    private int limits;
    private String told;
    private boolean isUsedAlone;
    private long retryAfterNs;
    private long server;

    @Override
    public void decided(long ticket, StoreDecision decision) {
      List<Integer> states = new ArrayList<>();
      for (int limit = 0; limit < limits; limit++) {
        states.add(decision.heldState(limit));
      }
      told =
          decision.granted()
              + " granted, "
              + decision.remaining()
              + " left, "
              + decision.heldUnits()
              + " held, "
              + states;
      isUsedAlone = decision.isUsedAlone();
      retryAfterNs = decision.retryAfterNs();
      server = decision.server();
      answer.complete(this);
    }

    @Override
    public boolean unavailable(long ticket, StoreFault fault) {
      answer.completeExceptionally(new AssertionError(fault));
      return false;
    }
  }

  @Test
  void everyLoopForgetsOneBudgetAndSaysSo() throws Exception {
    long version = store.forget(NAME);
    Await.until("acknowledged", redis::log, () -> store.forgotten() >= version);
    assertEquals(LOOPS, forgotten.stream().filter(NAME::equals).count());
  }

  @Test
  void whatIsSaidOnTheChannelReachesEveryLoop() throws Exception {
    String everything = "all";
    Await.until(
        "a listener", redis::log, () -> redis.text("PUBLISH", "rl:reset", NAME).equals("1"));
    Await.until(
        "forgotten", redis::log, () -> forgotten.stream().filter(NAME::equals).count() >= LOOPS);
    long before = forgotten.stream().filter(everything::equals).count();
    redis.text("PUBLISH", "rl:reset", "alice");
    Await.until(
        "forgotten",
        redis::log,
        () -> forgotten.stream().filter(everything::equals).count() == before + LOOPS);
  }

  private static StoreKeys name() {
    return keys(NAME);
  }

  private static StoreKeys keys(String... names) {
    StoreKeys keys = new StoreKeys(names.length);
    for (String name : names) {
      byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
      int start = keys.end();
      keys.buffer().putBytes(start, bytes);
      keys.add(start + bytes.length, 7, name.hashCode(), 0);
    }
    return keys;
  }

  private String exists() throws Exception {
    return redis.text("EXISTS", NAME);
  }

  /** Asks on the event loop, and waits. */
  private Answer ask(StoreQuestion question) throws Exception {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    question.callback = new Callback(answer);
    tell(question);
    return answer.get(60, TimeUnit.SECONDS);
  }

  private void tell(StoreQuestion question) throws Exception {
    LoopStore asked = stores.get(0);
    assertNull(eventLoop.submit(() -> asked.ask(question, asked.tick())).get());
  }

  private record Callback(CompletableFuture<Answer> answer) implements StoreCallback {
    @Override
    public void decided(long ticket, StoreDecision decision) {
      answer.complete(
          new Answer(
              decision.granted(),
              decision.remaining(),
              decision.resetAfterNs(),
              decision.retryAfterNs(),
              decision.decidedAtUs(),
              decision.replayed(),
              decision.done()));
    }

    @Override
    public boolean unavailable(long ticket, StoreFault fault) {
      answer.completeExceptionally(new AssertionError(fault));
      return false;
    }
  }

  private final class Listener implements BudgetListener {
    @Override
    public void givenBack(StoreKeys keys, int key, long cost) {}

    @Override
    public void forget(byte[] name, int partition) {
      forgotten.add(new String(name, StandardCharsets.US_ASCII));
    }

    @Override
    public void forgetAll() {
      forgotten.add("all");
    }
  }
}
