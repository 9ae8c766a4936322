package dev.weir.proxy;

import dev.weir.proxy.admin.AdminBindException;
import dev.weir.proxy.admin.AdminServer;
import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.ExactGate;
import dev.weir.proxy.admission.Gate;
import dev.weir.proxy.admission.GateByMode;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.LocalGate;
import dev.weir.proxy.admission.RuleDigest;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.client.ClientLoop;
import dev.weir.proxy.client.ListenerSettings;
import dev.weir.proxy.client.Listeners;
import dev.weir.proxy.client.StreamRouter;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.http.Origin;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.EveryLoop;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.metrics.LatencyLog;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.rule.CidrSet;
import dev.weir.proxy.rule.ClientIpReader;
import dev.weir.proxy.rule.ClientKeyReader;
import dev.weir.proxy.rule.IdentityReader;
import dev.weir.proxy.rule.KeyHasher;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.Shares;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.Store;
import dev.weir.proxy.store.StoreSettings;
import dev.weir.proxy.upstream.AlpnOrigin;
import dev.weir.proxy.upstream.Http2Pool;
import dev.weir.proxy.upstream.UpstreamAddresses;
import dev.weir.proxy.upstream.UpstreamPool;
import dev.weir.proxy.upstream.UpstreamSettings;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running sidecar: makes the parts, wires them, and stops them. What an event loop needs is
 * made once per loop; the limit tables and the rules are all that loops share.
 */
public final class Sidecar implements AutoCloseable {
  /** How long a start waits for the store. */
  private static final long STORE_WAIT_NS = 2_000_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(Sidecar.class);

  private final Transport transport;

  /** Where the service is; null if there is none. */
  private final UpstreamAddresses upstreamAddresses;

  private final Metrics metrics = new Metrics();

  /** The log of latencies; null if none is wanted. */
  private final LatencyLog latencyLog;

  private final LimitTables tables;

  /** The store; null if no rule can ask one. */
  private final Store store;

  private final Shares shares = new Shares();
  private final EventLoopGroup group;
  private final List<Loop> loops = new ArrayList<>();
  private final EveryLoop<AdmissionHandler> admissions = new EveryLoop<>();
  private final Listeners listeners;
  private final SidecarDecisions decisions;

  /** Envoy's rate limits; null if they are not wanted. */
  private final SidecarRateLimits rateLimits;

  private final SidecarTls tls;
  private final AdminServer admin;
  private volatile RuleSet rules;
  private final Drain drain;
  private volatile boolean ready;

  /**
   * The parts of one event loop.
   *
   * @param clients null if there is no service.
   * @param origin the service; null if there is none.
   */
  private record Loop(
      EventLoop eventLoop, ClientLoop clients, Origin origin, AdmissionHandler admission) {}

  /**
   * Starts, and returns when requests are served.
   *
   * @throws StartException if an address is taken, a name is unknown or a transport is missing;
   *     nothing is left running.
   */
  public static Sidecar start(Settings settings) throws StartException {
    try {
      return new Sidecar(settings);
    } catch (IOException
        | AdminBindException
        | IllegalStateException
        | IllegalArgumentException e) {
      throw new StartException(e.getMessage(), e);
    }
  }

  private Sidecar(Settings settings) throws IOException {
    decisions = new SidecarDecisions(settings);
    rateLimits = rateLimits(settings);
    List<ListenerSettings> all = new ArrayList<>(settings.client().listeners());
    all.addAll(settings.decision().listeners());
    tls = new SidecarTls(all, settings.upstream());
    transport = Transport.of(settings.process().transport());
    drain =
        new Drain(settings.process().drainGraceNs(), this::endConnections, this::connectionCount);
    upstreamAddresses =
        settings.isProxying()
            ? new UpstreamAddresses(settings.upstream().address(), transport)
            : null;
    Path log = settings.process().latencyLog();
    latencyLog = log == null ? null : new LatencyLog(log, metrics);
    tables = LimitTables.allocate(settings.admission(), settings.ringCells());
    group =
        new MultiThreadIoEventLoopGroup(
            settings.process().eventLoopCount(),
            new DefaultThreadFactory("weir-loop", true),
            transport.handlerFactory());
    try {
      store = settings.store().isConfigured() ? store(settings) : null;
      KeyHasher hasher = KeyHasher.random();
      Map<EventLoop, ClientLoop> clientLoops = new IdentityHashMap<>();
      for (EventExecutor executor : group) {
        Loop loop = loop((EventLoop) executor, settings, hasher);
        loops.add(loop);
        admissions.add(loop.eventLoop(), loop.admission());
        clientLoops.put(loop.eventLoop(), loop.clients());
        tls.join(loop.eventLoop());
      }
      publish(settings.rules().compile(RuleSet.EMPTY));
      new SidecarFigures(metrics).expose(tables, () -> ready);
      if (store != null) {
        startStore(settings.store(), settings.names());
      }
      CidrSet trusted = settings.identity().trustedProxies();
      listeners =
          new Listeners(
              settings.client(),
              tls::of,
              transport,
              group,
              (IpAddress peer) -> trusted.contains(peer.high(), peer.low()),
              settings.identity().ipv6Prefix(),
              clientLoops::get);
      if (settings.decision().isConfigured()) {
        metrics.exposeDecisions();
        startDecisions();
      }
      tls.start(metrics);
      if (rateLimits != null) {
        rateLimits.start();
      }
      admin = startAdmin(settings);
      if (latencyLog != null) {
        latencyLog.start(settings.process().latencyLogIntervalNs());
      }
      ready = true;
    } catch (IOException | RuntimeException e) {
      stopLoops();
      throw e;
    }
  }

  private SidecarRateLimits rateLimits(Settings settings) {
    return settings.rateLimits().isConfigured()
        ? new SidecarRateLimits(
            settings.rateLimits(),
            settings.store().isConfigured(),
            settings.ringCells(),
            metrics,
            () -> ready)
        : null;
  }

  /** Waits a while for the store, and goes on without it: a store that is away stops no start. */
  private void startStore(StoreSettings settings, StoreNames names) {
    if (names.isKeyDerived()) {
      LOG.info(
          "redis: secrets are hashed in names under a key that anybody can derive: whoever reads"
              + " the store can try guesses (expected: redis.hash-key-file or"
              + " $WEIR_REDIS_HASH_KEY, the same on every sidecar)");
    }
    new SidecarFigures(metrics).expose(store);
    if (store.start(STORE_WAIT_NS)) {
      LOG.info("redis: connected: {}", settings);
    } else {
      LOG.warn("redis: not connected yet: {}; each rule's on-store-failure decides", settings);
    }
  }

  private Store store(Settings settings) {
    RuleDigest digest = new RuleDigest(settings.names());
    return new Store(
        settings.store(),
        transport,
        settings.names().service(),
        () -> digest.of(rules),
        shares::divideBy);
  }

  private void startDecisions() throws IOException {
    try {
      decisions.listen(tls::of, transport, group);
    } catch (IOException | RuntimeException e) {
      listeners.close();
      throw e;
    }
  }

  private AdminServer startAdmin(Settings settings) {
    SocketAddress address = settings.process().admin();
    if (address == null) {
      return null;
    }
    AdminServer server =
        new AdminServer(address, settings.process().adminHosts(), metrics, () -> ready);
    try {
      server.start();
    } catch (RuntimeException e) {
      listeners.close();
      decisions.stopListening();
      throw e;
    }
    return server;
  }

  private Loop loop(EventLoop eventLoop, Settings settings, KeyHasher hasher) {
    LoopClock clock = new LoopClock();
    Deadlines deadlines = new Deadlines(clock);
    LoopMetrics loopMetrics = metrics.newLoop();
    Http2Loop http2 =
        new Http2Loop(
            clock,
            deadlines,
            new TurnEnd(eventLoop),
            settings.client().caps().headBytes(),
            settings.client().caps().fieldCount());
    ClientIpReader clientIp = new ClientIpReader(settings.identity());
    IdentityReader identities =
        new IdentityReader(
            settings.identity(), hasher, clientIp, settings.client().caps().headBytes());
    LocalGate local = new LocalGate(tables);
    LoopStore loopStore =
        store == null ? null : store.join(eventLoop, clock, deadlines, loopMetrics.store());
    Gate gate = loopStore == null ? local : byMode(settings, local, loopStore, clock, loopMetrics);
    AdmissionHandler admission =
        new AdmissionHandler(gate, identities, loopMetrics, clock, eventLoop);
    SidecarRateLimits.Loop envoys =
        rateLimits == null
            ? SidecarRateLimits.Loop.NONE
            : rateLimits.join(
                eventLoop, tables, loopStore, settings.names(), hasher, loopMetrics, clock);
    decisions.join(eventLoop, clock, deadlines, http2, admission, envoys, loopMetrics);
    eventLoop.execute(() -> deadlines.start(eventLoop));
    if (!settings.isProxying()) {
      return new Loop(eventLoop, null, null, admission);
    }
    Origin origin = origin(settings.upstream(), eventLoop, clock, deadlines, http2, loopMetrics);
    ClientLoop clients =
        new ClientLoop(
            settings.client(),
            clock,
            deadlines,
            admission,
            origin,
            new ClientKeyReader(settings.identity(), clientIp),
            loopMetrics,
            http2,
            loopMetrics.http2Clients(),
            StreamRouter.REQUESTS_ONLY);
    return new Loop(eventLoop, clients, origin, admission);
  }

  private Origin origin(
      UpstreamSettings settings,
      EventLoop eventLoop,
      LoopClock clock,
      Deadlines deadlines,
      Http2Loop http2,
      LoopMetrics loopMetrics) {
    return switch (settings.protocol()) {
      case HTTP1 -> http1(settings, eventLoop, clock, deadlines, loopMetrics);
      case H2C -> http2(settings, eventLoop, clock, deadlines, http2, loopMetrics);
      case HTTPS ->
          new AlpnOrigin(
              http2(settings, eventLoop, clock, deadlines, http2, loopMetrics),
              http1(settings, eventLoop, clock, deadlines, loopMetrics));
    };
  }

  private UpstreamPool http1(
      UpstreamSettings settings,
      EventLoop eventLoop,
      LoopClock clock,
      Deadlines deadlines,
      LoopMetrics loopMetrics) {
    return new UpstreamPool(
        settings,
        upstreamAddresses,
        transport,
        eventLoop,
        clock,
        deadlines,
        loopMetrics,
        authority(settings.address()),
        tls.ofHttp1Service());
  }

  private Http2Pool http2(
      UpstreamSettings settings,
      EventLoop eventLoop,
      LoopClock clock,
      Deadlines deadlines,
      Http2Loop http2,
      LoopMetrics loopMetrics) {
    return new Http2Pool(
        settings,
        upstreamAddresses,
        transport,
        eventLoop,
        clock,
        deadlines,
        http2,
        loopMetrics,
        loopMetrics.http2Services(),
        authority(settings.address()),
        tls.ofService());
  }

  private Gate byMode(
      Settings settings,
      LocalGate local,
      LoopStore loopStore,
      LoopClock clock,
      LoopMetrics loopMetrics) {
    return new GateByMode(
        local,
        new ExactGate(
            loopStore, settings.store(), settings.names(), local, clock, loopMetrics.store()),
        clock);
  }

  private static String authority(SocketAddress upstream) {
    return upstream instanceof InetSocketAddress inet
        ? inet.getHostString() + ':' + inet.getPort()
        : "localhost";
  }

  /**
   * Swaps the rules on every event loop. Each says when it has: from then on it checks nothing
   * under the rules before, and when all have, nobody does.
   */
  public void publish(RuleSet newRules) {
    shares.follow(newRules);
    rules = newRules;
    newRules.succeed();
    admissions.tell(admission -> admission.publish(newRules), newRules::completeAdoption);
  }

  /** The rules published last. */
  public RuleSet rules() {
    return rules;
  }

  /** The addresses that clients connect to, in the order of the settings. */
  public List<SocketAddress> listenAddresses() {
    return listeners.addresses();
  }

  /** The addresses that programs ask at, in the order of the settings; none if nobody may. */
  public List<SocketAddress> decisionAddresses() {
    return decisions.addresses();
  }

  /** The first of the addresses that clients connect to. */
  public SocketAddress listenAddress() {
    return listeners.addresses().get(0);
  }

  /** Reads the files of Envoy's rate limits again, changed or not. Any thread. */
  public void reloadRateLimits() {
    if (rateLimits != null) {
      rateLimits.reload();
    }
  }

  /** Reads certificates and keys again, changed or not. Any thread. */
  public void reloadCertificates() {
    tls.reload();
  }

  /** The address of the admin port; null if there is none. */
  public SocketAddress adminAddress() {
    return admin == null ? null : admin.boundAddress();
  }

  /** {@code io_uring}, {@code epoll} or {@code nio}. */
  public String transport() {
    return transport.toString();
  }

  /** How much memory the budgets have. */
  public String memory() {
    return tables.toString();
  }

  public Metrics metrics() {
    return metrics;
  }

  /**
   * Says that it is not ready, and ends as {@link Drain} does.
   *
   * @param timeoutNs for the requests in flight, once no more clients are accepted.
   * @return whether all had finished when the time was up; false, too, if interrupted.
   */
  public boolean drain(long timeoutNs) {
    ready = false;
    for (Loop loop : loops) {
      loop.eventLoop().execute(() -> decisions.stopServing(loop.eventLoop()));
    }
    return drain.run(timeoutNs);
  }

  /** Accepts no more clients; every response from now on says that its connection ends. */
  private void endConnections() {
    listeners.close();
    decisions.stopListening();
    for (Loop loop : loops) {
      loop.eventLoop().execute(() -> withClients(loop, ClientLoop::drain));
    }
  }

  /** Does something with all who are connected to an event loop, on it. */
  private void withClients(Loop loop, Consumer<ClientLoop> action) {
    if (loop.clients() != null) {
      action.accept(loop.clients());
    }
    decisions.with(loop.eventLoop(), action);
  }

  private int connectionCount() {
    int[] count = {0};
    for (Loop loop : loops) {
      loop.eventLoop()
          .submit(() -> withClients(loop, clients -> count[0] += clients.connectionCount()))
          .awaitUninterruptibly();
    }
    return count[0];
  }

  /** Stops at once, whatever is in flight. */
  @Override
  public void close() {
    ready = false;
    listeners.close();
    decisions.stopListening();
    for (Loop loop : loops) {
      loop.eventLoop()
          .submit(
              () -> {
                withClients(loop, ClientLoop::closeAll);
                if (loop.origin() != null) {
                  loop.origin().closeIdle();
                }
              })
          .awaitUninterruptibly();
    }
    if (admin != null) {
      admin.close();
    }
    stopLoops();
  }

  /**
   * The tables go last: no event loop may be inside a check when their memory does. Nor may one
   * record a time when the log of them ends.
   */
  private void stopLoops() {
    if (rateLimits != null) {
      rateLimits.close();
    }
    if (store != null) {
      store.close();
    }
    if (upstreamAddresses != null) {
      upstreamAddresses.close();
    }
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    tls.close();
    if (latencyLog != null) {
      latencyLog.close();
    }
    tables.close();
  }
}
