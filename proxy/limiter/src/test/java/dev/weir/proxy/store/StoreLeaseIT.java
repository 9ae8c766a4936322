package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
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
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Leases of two event loops from a real server, over a way that loses replies and connections. */
class StoreLeaseIT {
  private static final long DAY_US = 86_400_000_000L;
  private static final long LIFE_US = 2_000_000;

  /** How long an answer may take that is to come late, or never. */
  private static final long SHORT_NS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final int PARTITION = 7;
  private static final String NAME = "rl:{p007}:d:alice:r";

  private final ScriptLimit[] limits = {ScriptLimit.paced(1_000, 1_000, DAY_US).leased(LIFE_US)};
  private final List<LoopStore> stores = new ArrayList<>();
  private final Queue<StoreFault> faults = new ConcurrentLinkedQueue<>();
  private RedisServer redis;
  private FaultProxy way;
  private EventLoopGroup group;
  private Store store;

  /** The store's answer about one lease. */
  private record Lease(
      long granted,
      long kept,
      long lifeUs,
      long atUs,
      long server,
      long keptMark,
      boolean isLate) {}

  @BeforeEach
  void start() throws Exception {
    redis = RedisKind.EMBEDDED.start();
    way = new FaultProxy(redis.port());
    Transport transport = Transport.of(TransportKind.NIO);
    group = new MultiThreadIoEventLoopGroup(2, transport.handlerFactory());
    StoreSettings settings =
        new StoreSettings(
            List.of(new StoreNode(way.address(), 1)),
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
      stores.add(store.join(loop, clock, deadlines, new StoreObserver() {}));
    }
    assertTrue(store.start(TimeUnit.SECONDS.toNanos(60)));
  }

  @AfterEach
  void stop() throws Exception {
    store.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    way.close();
    redis.close();
  }

  private static StoreKeys name() {
    StoreKeys keys = new StoreKeys(1);
    byte[] bytes = NAME.getBytes(StandardCharsets.US_ASCII);
    keys.buffer().putBytes(0, bytes);
    keys.add(bytes.length, PARTITION, NAME.hashCode(), 0);
    return keys;
  }

  /**
   * @param withinNs how long the answer may take; 0 for as long as any.
   */
  private CompletableFuture<Lease> lease(int loop, long need, long keep, long withinNs)
      throws Exception {
    CompletableFuture<Lease> lease = new CompletableFuture<>();
    LoopStore asked = stores.get(loop);
    StoreQuestion question = new StoreQuestion().lease(new Callback(lease), 0);
    question.of(name(), 0, limits).upTo(need).keep(keep, LIFE_US).within(withinNs);
    assertNull(asked.eventLoop().submit(() -> asked.ask(question, asked.tick())).get());
    return lease;
  }

  private Lease granted(int loop, long need, long keep) throws Exception {
    return lease(loop, need, keep, 0).get(30, TimeUnit.SECONDS);
  }

  private StoreFault giveBack(int loop, Lease lease, long requests) throws Exception {
    LoopStore asked = stores.get(loop);
    StoreQuestion question = new StoreQuestion().giveBack(lease.server, lease.atUs, lease.lifeUs);
    question.of(name(), 0, limits).upTo(requests).mark(0, lease.keptMark);
    return asked.eventLoop().submit(() -> asked.ask(question, asked.tick())).get();
  }

  private long server(int loop) throws Exception {
    LoopStore asked = stores.get(loop);
    return asked.eventLoop().submit(() -> asked.server(PARTITION)).get();
  }

  /**
   * Units that are free, after all that a loop has asked before; a part of a unit counts as one
   * used.
   */
  private long free(int loop) throws Exception {
    CompletableFuture<Lease> answer = new CompletableFuture<>();
    LoopStore asked = stores.get(loop);
    StoreQuestion peek = new StoreQuestion().peek(new Callback(answer), 0).of(name(), 0, limits);
    peek.upTo(1_001);
    assertNull(asked.eventLoop().submit(() -> asked.ask(peek, asked.tick())).get());
    return answer.get(30, TimeUnit.SECONDS).granted;
  }

  /** Next to nothing of a day's thousand comes back, or is held up, while a test runs. */
  private static void assertFree(long expected, long free) {
    assertTrue(free == expected || free == expected - 1, free + " (expected: " + expected + ")");
  }

  @Test
  void loopsLeaseFromOneBudgetAndGiveBackWhatTheOtherWasGranted() throws Exception {
    Lease one = granted(0, 1, 100);
    Lease other = granted(1, 1, 100);
    assertEquals(1, one.granted);
    assertEquals(100, one.kept);
    assertEquals(LIFE_US, other.lifeUs);
    assertEquals(one.server, other.server);
    assertEquals(101, other.keptMark - one.keptMark);
    assertFree(1_000 - 202, free(0));
    assertNull(giveBack(1, one, 100));
    assertFree(1_000 - 102, free(1));
    assertNull(giveBack(0, other, 60));
    assertFree(1_000 - 42, free(0));
  }

  @Test
  void aLostReplyCostsWhatItCarriedAndSilencesNobody() throws Exception {
    granted(0, 0, 1);
    final long accepted = way.acceptedCount();
    way.dropReplies(1);
    CompletableFuture<Lease> lost = lease(0, 1, 200, SHORT_NS);
    Await.until("told", redis::log, () -> !faults.isEmpty());
    assertEquals(List.of(StoreFault.DEADLINE), List.copyOf(faults));
    assertEquals(1, granted(1, 1, 0).granted);
    // The connection is closed for it, and another opened, over which nothing is repeated.
    Await.until("another", redis::log, () -> way.acceptedCount() > accepted && server(0) != 0);
    assertFree(1_000 - 1 - 201 - 1, free(0));
    assertFalse(lost.isDone());
  }

  @Test
  void aBrokenConnectionChangesNoServerAndUnitsGoBackOverTheNextOne() throws Exception {
    Lease lease = granted(0, 0, 100);
    way.refuse();
    Await.until("seen", redis::log, () -> server(0) == 0);
    way.pass();
    Await.until("connected again", redis::log, () -> server(0) != 0);
    assertEquals(lease.server, server(0));
    assertNull(giveBack(0, lease, 100));
    assertFree(1_000, free(0));
  }

  @Test
  void aServerThatIsRestartedIsAnotherOneAndTakesNothingBack() throws Exception {
    Lease lease = granted(0, 0, 100);
    redis.kill();
    Await.until("seen", redis::log, () -> server(0) == 0);
    redis.restart();
    Await.until("connected again", redis::log, () -> server(0) != 0);
    assertNotEquals(lease.server, server(0));
    assertEquals(101, granted(0, 101, 0).granted);
    assertEquals(StoreFault.DISCONNECTED, giveBack(0, lease, 100));
    assertFree(1_000 - 101, free(0));
  }

  @Test
  void whatIsKeptTooLateIsStillToldAndWhatWasGrantedGoesBack() throws Exception {
    granted(0, 0, 1);
    way.delayReplies(700);
    Lease late = lease(0, 10, 100, SHORT_NS).get(30, TimeUnit.SECONDS);
    way.pass();
    assertTrue(late.isLate);
    assertEquals(100, late.kept);
    assertEquals(0, late.granted);
    Await.until("given back", redis::log, () -> free(0) >= 1_000 - 1 - 100 - 1);
    assertFree(1_000 - 1 - 100, free(0));
  }

  private final class Callback implements LeaseCallback {
    private final CompletableFuture<Lease> lease;

    Callback(CompletableFuture<Lease> lease) {
      this.lease = lease;
    }

    @Override
    public void decided(long ticket, StoreDecision decision) {
      complete(decision, false);
    }

    @Override
    public boolean unavailable(long ticket, StoreFault fault) {
      faults.add(fault);
      return false;
    }

    @Override
    public void keptLate(long ticket, StoreDecision decision) {
      complete(decision, true);
    }

    private void complete(StoreDecision decision, boolean isLate) {
      lease.complete(
          new Lease(
              decision.granted(),
              decision.kept(),
              decision.lifeUs(),
              decision.decidedAtUs(),
              decision.server(),
              decision.kept() > 0 ? decision.keptMark(0) : 0,
              isLate));
    }
  }
}
