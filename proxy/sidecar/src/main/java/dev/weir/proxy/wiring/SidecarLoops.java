package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.AddressLists;
import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.TopKeys;
import dev.weir.proxy.admission.Users;
import dev.weir.proxy.admission.WhatIf;
import dev.weir.proxy.admission.ban.Bans;
import dev.weir.proxy.admission.lease.SharedLeases;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.h1.Http1Memory;
import dev.weir.proxy.downstream.h2.StreamRouter;
import dev.weir.proxy.downstream.listen.ClientProtocols;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopBroadcast;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClaimReader;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.ClientKeyReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.store.LoopStore;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadProperties;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The event loops of one sidecar: the parts of each loop, made once, and what is broadcast to all.
 */
public final class SidecarLoops implements AutoCloseable {
  /** The longest that a process which ends waits for a store to take leases back. */
  private static final long GIVE_BACK_NS = 500_000_000;

  private static final long GIVE_BACK_POLL_NS = 1_000_000;

  /** One part in so many of the heap is for clients' connections and requests. */
  private static final int HEAP_PER_CLIENTS = 2;

  /** One part in so many of the heap's size is for contents, which are kept beside it. */
  private static final int HEAP_PER_CONTENTS = 4;

  /** The most that contents may have of one event loop. */
  private static final long MOST_CONTENTS_BYTES = 32L << 20;

  private final Settings settings;
  private final Metrics metrics;
  private final SidecarDecisions decisions;

  /** Makes the clock of each event loop. */
  private final Supplier<LoopClock> clocks;

  /** The tokens of clients; null if none are read. */
  private final SidecarTokens tokens;

  private final Gates gates;

  private final EventLoopGroup group;

  /** The heap that each event loop may take, in bytes. */
  private final long heapBytesOfLoop;

  final List<Loop> loops = new ArrayList<>();
  private final Map<EventLoop, ClientProtocols> clients = new IdentityHashMap<>();
  private final LoopBroadcast<AdmissionHandler> admissions = new LoopBroadcast<>();
  private final AddressLists lists = new AddressLists();
  private final Bans bans;
  private final Users users = new Users();
  private final KeyHasher hasher = KeyHasher.random();

  /**
   * The parts of one event loop.
   *
   * @param topKeys null without an admin port, which would show them.
   * @param whatIf the candidate; null if there is none.
   * @param clients null if there is no service.
   * @param origin the service; null if there is none.
   */
  record Loop(
      LoopParts parts,
      AdmissionHandler admission,
      TopKeys topKeys,
      WhatIf whatIf,
      ClientProtocols clients,
      Origin origin) {
    EventLoop eventLoop() {
      return parts.eventLoop();
    }

    /** Does as {@link AdmissionHandler#ending}, with the candidate. */
    boolean ending() {
      boolean isBack = admission.ending();
      return (whatIf == null || whatIf.ending()) && isBack;
    }

    /** Runs a task on the event loop, and waits for its end. */
    void runAndWait(Runnable task) {
      eventLoop().submit(task).awaitUninterruptibly();
    }
  }

  /** The lists that all event loops ask before the rules. */
  AddressLists lists() {
    return lists;
  }

  /** Hashes identities for all event loops. */
  KeyHasher hasher() {
    return hasher;
  }

  /** The plans of users. */
  Users users() {
    return users;
  }

  /** The bans of all event loops. */
  Bans bans() {
    return bans;
  }

  /** Starts the threads of a sidecar, which have nothing to do yet. */
  static EventLoopGroup threads(Settings settings, Transport transport) {
    return new MultiThreadIoEventLoopGroup(
        settings.process().eventLoopCount(),
        new DefaultThreadFactory("weir-loop", true),
        transport.handlerFactory());
  }

  /**
   * @param group the event loops, which are the caller's.
   * @param tokens of clients; null if none are read.
   * @param clocks makes the clock of each.
   * @param heapBytes that all of them may take.
   */
  SidecarLoops(
      Settings settings,
      EventLoopGroup group,
      Metrics metrics,
      LimitTables tables,
      SidecarDecisions decisions,
      SidecarTokens tokens,
      Supplier<LoopClock> clocks,
      long heapBytes) {
    this.tokens = tokens;
    this.settings = settings;
    this.bans = new Bans(settings.names().hashKeyInUse());
    this.group = group;
    this.metrics = metrics;
    this.decisions = decisions;
    this.clocks = clocks;
    heapBytesOfLoop = heapBytes / settings.process().eventLoopCount();
    gates = Gates.of(tables, settings.store(), settings.names());
  }

  /** Makes the parts of each event loop, without a candidate. */
  void make(
      SidecarTls tls,
      Function<LoopParts, Origin> service,
      Function<LoopParts, LoopStore> store,
      SidecarRateLimits rateLimits) {
    make(tls, service, store, rateLimits, null);
  }

  /**
   * Makes the parts of each event loop.
   *
   * @param service makes its side of an event loop; null without {@code upstream}.
   * @param store makes an event loop's store; null if no rule uses one.
   * @param rateLimits of Envoy; null if there are none.
   * @param whatIf the candidate; null if there is none.
   */
  void make(
      SidecarTls tls,
      Function<LoopParts, Origin> service,
      Function<LoopParts, LoopStore> store,
      SidecarRateLimits rateLimits,
      SidecarWhatIf whatIf) {
    for (EventExecutor executor : group) {
      EventLoop eventLoop = (EventLoop) executor;
      Loop loop = loop(eventLoop, service, store, rateLimits, whatIf);
      loops.add(loop);
      clients.put(eventLoop, loop.clients());
      tls.join(eventLoop);
    }
  }

  private LoopParts parts(EventLoop eventLoop) {
    LoopClock clock = clocks.get();
    Deadlines deadlines = new Deadlines(clock);
    long contentBytes = Math.min(MOST_CONTENTS_BYTES, heapBytesOfLoop / HEAP_PER_CONTENTS);
    return new LoopParts(
        eventLoop,
        clock,
        deadlines,
        new ClientShares(heapBytesOfLoop / HEAP_PER_CLIENTS),
        new Http1Memory(clock, contentBytes),
        new Http2Loop(
            clock,
            deadlines,
            new TurnEnd(eventLoop),
            contentBytes,
            settings.client().caps().headBytes(),
            settings.client().caps().fieldCount()),
        metrics.newLoop());
  }

  private Loop loop(
      EventLoop eventLoop,
      Function<LoopParts, Origin> service,
      Function<LoopParts, LoopStore> store,
      SidecarRateLimits rateLimits,
      SidecarWhatIf candidate) {
    LoopParts parts = parts(eventLoop);
    LoopClock clock = parts.clock();
    Deadlines deadlines = parts.deadlines();
    LoopMetrics loopMetrics = parts.metrics();
    ClientIpReader clientIp = new ClientIpReader(settings.identity());
    ClientKeyReader clientKey = new ClientKeyReader(settings.identity(), clientIp);
    IdentityReader identities =
        new IdentityReader(
            settings.identity(),
            hasher,
            clientIp,
            tokens == null ? ClaimReader.NONE : tokens.join(clock, hasher, clientKey),
            settings.client().caps().headBytes());
    LoopStore loopStore = store == null ? null : store.apply(parts);
    AdmissionHandler admission =
        new AdmissionHandler(
            gates.make(loopStore, clock, loopMetrics),
            lists,
            bans,
            users,
            identities,
            loopMetrics,
            clock,
            eventLoop);
    admissions.add(eventLoop, admission);
    TopKeys topKeys = settings.process().admin() == null ? null : topKeys(clock);
    admission.count(topKeys);
    SidecarRateLimits.Loop envoys =
        rateLimits == null
            ? SidecarRateLimits.Loop.NONE
            : rateLimits.join(parts, admission, hasher);
    WhatIf whatIf = candidate == null ? null : candidate.join(parts, admission, hasher);
    Admission asked = whatIf == null ? admission : whatIf;
    decisions.join(parts, asked, envoys);
    eventLoop.execute(() -> deadlines.start(eventLoop));
    if (service == null) {
      return new Loop(parts, admission, topKeys, whatIf, null, null);
    }
    Origin origin = service.apply(parts);
    ClientLoop clients =
        new ClientLoop(
            settings.client(),
            clock,
            deadlines,
            parts.memory(),
            asked,
            origin,
            clientKey,
            loopMetrics);
    ClientProtocols protocols =
        new ClientProtocols(
            clients,
            parts.http1(),
            parts.http2(),
            loopMetrics.http2Clients(),
            StreamRouter.REQUESTS_ONLY);
    return new Loop(parts, admission, topKeys, whatIf, protocols, origin);
  }

  private TopKeys topKeys(LoopClock clock) {
    return new TopKeys(settings.names().identityText(), System.nanoTime(), clock.nowNs());
  }

  /** Has all event loops watched from outside of them. */
  void watchBy(Watchdog watchdog) {
    for (Loop loop : loops) {
      ThreadProperties thread = ((SingleThreadEventExecutor) loop.eventLoop()).threadProperties();
      watchdog.watch(thread.name(), loop.parts().deadlines()::sweepCount, thread::stackTrace);
    }
  }

  /** The clients of an event loop; null if there is no service. */
  ClientProtocols clients(EventLoop eventLoop) {
    return clients.get(eventLoop);
  }

  /**
   * Replaces the rules on every event loop. A loop acknowledges that from then on it checks nothing
   * under the former rules; when all have, none does.
   */
  void publish(RuleSet rules) {
    bans.use(rules);
    admissions.tell(admission -> admission.publish(rules), rules::completeAdoption);
  }

  /** Reports to health checks and watches of the decision API that the process ends. */
  void stopServing() {
    for (Loop loop : loops) {
      loop.eventLoop().execute(() -> decisions.stopServing(loop.eventLoop()));
    }
  }

  /** Ends each connection after its next response. */
  void drain() {
    for (Loop loop : loops) {
      loop.eventLoop().execute(() -> withClients(loop, ClientLoop::drain));
    }
  }

  /** Does something with all client connections of an event loop, on it. */
  private void withClients(Loop loop, Consumer<ClientLoop> action) {
    if (loop.clients() != null) {
      action.accept(loop.clients().clients);
    }
    decisions.with(loop.eventLoop(), action);
  }

  /** How many clients are connected. */
  int connectionCount() {
    int[] count = {0};
    for (Loop loop : loops) {
      loop.runAndWait(() -> withClients(loop, clients -> count[0] += clients.connectionCount()));
    }
    return count[0];
  }

  /** Closes all connections, whatever is in flight on them. */
  void closeConnections() {
    for (Loop loop : loops) {
      loop.runAndWait(
          () -> {
            withClients(loop, ClientLoop::closeAll);
            if (loop.origin() != null) {
              loop.origin().closeIdle();
            }
          });
    }
  }

  /** The leases of budgets in the store; null without a store. */
  SharedLeases leases() {
    return gates.leases();
  }

  /**
   * Gives back what is held of budgets in the store: it may be of use to others. Waits until the
   * store has it, but no longer than {@link #GIVE_BACK_NS}.
   */
  void giveBackLeases() {
    long endNs = System.nanoTime() + GIVE_BACK_NS;
    for (Loop loop : loops) {
      while (!isAllBack(loop) && endNs - System.nanoTime() > 0) {
        LockSupport.parkNanos(GIVE_BACK_POLL_NS);
      }
    }
  }

  private static boolean isAllBack(Loop loop) {
    Future<Boolean> isBack = loop.eventLoop().submit(loop::ending).awaitUninterruptibly();
    return !isBack.isSuccess() || isBack.getNow(); // a loop that has ended holds nothing
  }

  /** Leaves the event loops, which go on: nothing of this is done on them any more. */
  void leave() {
    closeConnections();
    for (Loop loop : loops) {
      loop.runAndWait(loop.parts().deadlines()::stop);
    }
  }

  /** Once the event loops have ended, or were left. */
  @Override
  public void close() {
    gates.close();
  }
}
