package dev.weir.proxy.wiring;

import dev.weir.algorithms.LimitTable;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.RuleDigest;
import dev.weir.proxy.api.UserLimits;
import dev.weir.proxy.control.ListSettings;
import dev.weir.proxy.control.ProcessSettings;
import dev.weir.proxy.control.RecordSettings;
import dev.weir.proxy.control.RecordsInUse;
import dev.weir.proxy.control.RuleChoice;
import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.RulesInUse;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.downstream.listen.Listeners;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.LoopEnd;
import dev.weir.proxy.loop.LoopGuard;
import dev.weir.proxy.loop.OpenFiles;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.LatencyLog;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.WhatIfReport;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.Shares;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.Store;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.warmup.WarmUp;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.watch.WatchThread;
import dev.weir.proxy.web.Caller;
import dev.weir.proxy.web.Route;
import dev.weir.proxy.web.WebServer;
import dev.weir.proxy.web.WhatIfPage;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running sidecar: makes the parts, wires them, and stops them. The parts of an event loop are
 * made once per loop; loops share only the limit tables and the rules.
 */
public final class Sidecar implements RulesInUse, AutoCloseable {
  /** How long a start waits for the store. */
  private static final long STORE_WAIT_NS = 2_000_000_000;

  /** How long a start waits for the recorded rules, once the store was waited for. */
  private static final long RECORDS_WAIT_NS = 1_000_000_000;

  /** Between two looks at the time of day. */
  private static final long CLOCK_INTERVAL_NS = 1_000_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(Sidecar.class);

  private final Transport transport;

  /** The service; null without {@code upstream}. */
  private final SidecarService service;

  private final Metrics metrics = new Metrics();

  /** The log of latencies; null if none is wanted. */
  private final LatencyLog latencyLog;

  private final LimitTables tables;

  /** The store; null if no rule can ask one. */
  private final Store store;

  private final Shares shares = new Shares();
  private final EventLoopGroup group;
  private final LoopGuard guard;

  /** Null if there is none. */
  private final WarmUp warmUp;

  private final SidecarLoops loops;
  private final Listeners listeners;
  private final SidecarDecisions decisions;
  private final SidecarLists lists;

  /** Envoy's rate limits; null if they are not wanted. */
  private final SidecarRateLimits rateLimits;

  /** The tokens of clients; null if none are read. */
  private final SidecarTokens tokens;

  /** The candidate; null if there is none. */
  private final SidecarWhatIf whatIf;

  private final SidecarTls tls;

  /** The API for operators; null if there is no admin port. */
  private final SidecarApi api;

  private final WebServer admin;
  private final Watchdog watchdog = new Watchdog();
  private volatile RuleSet rules;
  private final RuleChoice ruleChoice;
  private final SidecarFiles files = new SidecarFiles();

  /** Null if nothing is kept in records. */
  private final SidecarRecords records;

  /** The epoch by which the rules in use were compiled. */
  private long followedEpochNs = LoopClock.unixEpochNs();

  private final Reloads ruleReloads = new Reloads();
  private final Drain drain;
  private final WatchThread clockWatch =
      new WatchThread("weir-clock", CLOCK_INTERVAL_NS, this::renewRules, "rules not renewed");
  private volatile boolean ready;

  /**
   * Starts, and returns when requests are served.
   *
   * @throws StartException if an address is taken, a name is unknown or a transport is missing;
   *     nothing is left running.
   */
  public static Sidecar start(Settings settings) throws StartException {
    return start(settings, false, LoopClock::new);
  }

  /**
   * Starts as {@link #start} does, on another clock than that of the process.
   *
   * @param time of the event loops, as {@link LoopClock} takes it; any thread asks for it.
   */
  public static Sidecar start(Settings settings, LongSupplier time) throws StartException {
    return start(settings, false, () -> new LoopClock(time));
  }

  /**
   * Starts as {@link #start} does, and warms up: the first requests are nearly as fast as later
   * ones. Takes longer, and the processor for up to two seconds more, while nobody is connected.
   *
   * @throws StartException as {@link #start} does; never as it could not be warmed up.
   */
  public static Sidecar startWarm(Settings settings) throws StartException {
    return start(settings, true, LoopClock::new);
  }

  private static Sidecar start(Settings settings, boolean isToBeWarm, Supplier<LoopClock> clocks)
      throws StartException {
    try {
      return new Sidecar(settings, isToBeWarm, clocks);
    } catch (IOException | IllegalStateException | IllegalArgumentException e) {
      throw new StartException(e.getMessage(), e);
    }
  }

  private Sidecar(Settings wanted, boolean isToBeWarm, Supplier<LoopClock> clocks)
      throws IOException {
    Settings settings = wanted.within(OpenFiles.limit());
    if (settings.client().caps().connections() < wanted.client().caps().connections()) {
      LOG.info(
          "caps.connections: {}, but the limit of open files allows for {} only",
          wanted.client().caps().connections(),
          settings.client().caps().connections());
    }
    decisions = new SidecarDecisions(settings);
    lists = new SidecarLists(settings.rules().lists());
    rateLimits = rateLimits(settings);
    tokens = settings.tokens().isConfigured() ? new SidecarTokens(settings.tokens()) : null;
    List<ListenerSettings> all = new ArrayList<>(settings.client().listeners());
    all.addAll(settings.decision().listeners());
    tls = new SidecarTls(all, settings.process().admin(), settings.upstream());
    api =
        settings.process().admin() == null
            ? null
            : new SidecarApi(settings.process().adminTokens());
    transport = Transport.of(settings.process().transport());
    service =
        settings.isProxying() ? new SidecarService(settings.upstream(), transport, tls) : null;
    Path log = settings.process().latencyLog();
    latencyLog = log == null ? null : new LatencyLog(log, metrics);
    tables = LimitTables.allocate(settings.admission(), settings.ringCells());
    long memory = MemoryLimit.bytes();
    whatIf =
        settings.whatIf().isConfigured() ? new SidecarWhatIf(settings, transport, tokens) : null;
    long tableBytes = tables.bytes() + (whatIf == null ? 0 : whatIf.bytes());
    String tooLittle = MemoryLimit.warning(tableBytes, memory);
    if (tooLittle != null) {
      LOG.warn("{}", tooLittle);
    }
    String cold = isToBeWarm ? MemoryLimit.whyCold(memory) : null;
    if (cold != null) {
      LOG.info("{}", cold);
    }
    boolean warmsUp = isToBeWarm && cold == null;
    group = SidecarLoops.threads(settings, transport);
    guard = new LoopGuard(group);
    loops =
        new SidecarLoops(
            settings, group, metrics, tables, decisions, tokens, clocks, MemoryLimit.heapBytes());
    drain =
        new Drain(settings.process().drainGraceNs(), this::endConnections, loops::connectionCount);
    try {
      store = settings.store().isConfigured() ? store(settings) : null;
      ruleChoice = new RuleChoice(this, settings.rules());
      records =
          settings.records() == null ? null : SidecarRecords.open(settings, store, ruleChoice);
      if (store != null) {
        store.exchange(loops.bans().share());
      }
      loops.make(
          tls,
          service == null ? null : service::origin,
          store == null ? null : this::storeOf,
          rateLimits,
          whatIf);
      publish(settings.rules().compile(RuleSet.EMPTY));
      lists.follow(loops.lists(), metrics);
      SidecarFigures figures = new SidecarFigures(metrics);
      figures.expose(tables, loops.bans(), () -> ready);
      figures.exposeRules(ruleReloads);
      figures.exposeLoops(watchdog);
      figures.exposeAdaptive(this::rules);
      figures.exposeUsers(loops.users());
      if (records != null) {
        records.begin(metrics, loops, tables, clocks.get()::tick, settings.store().deadlineNs());
        if (settings.records().store() == RecordSettings.Store.FILE) {
          records.readFirst(RECORDS_WAIT_NS);
        }
      }
      if (store != null) {
        startStore(settings);
      }
      if (tokens != null) {
        tokens.start(metrics);
      }
      if (whatIf != null) {
        whatIf.start(metrics);
      }
      ruleChoice.begin();
      warmUp = warmsUp ? warmUp(settings) : null;
      CidrSet trusted = settings.identity().trustedProxies();
      listeners =
          new Listeners(
              settings.client(),
              tls::of,
              transport,
              group,
              (IpAddress peer) -> trusted.contains(peer.high(), peer.low()),
              settings.identity().ipv6Prefix(),
              loops::clients);
      if (settings.decision().isConfigured()) {
        metrics.exposeDecisions();
        startDecisions();
        decisions.followTokens(metrics);
      }
      if (rateLimits != null) {
        rateLimits.start();
      }
      admin = startAdmin(settings);
      tls.start(metrics);
      if (latencyLog != null) {
        latencyLog.start(settings.process().latencyLogIntervalNs());
      }
      clockWatch.start();
      addFiles(settings);
      watch();
      ready = true;
      if (warmUp != null) {
        warmUp.goOn(() -> loops.connectionCount() > 0);
      }
    } catch (IOException | RuntimeException e) {
      stopLoops();
      throw e;
    }
  }

  /** In the order in which they are read again. */
  private void addFiles(Settings settings) {
    if (rateLimits != null) {
      files.add("Envoy's rate limits", rateLimits.reloads(), rateLimits::reload);
    }
    if (tls.hasFiles()) {
      files.add("certificates", tls.reloads(), tls::reload);
    }
    if (decisions.hasTokens()) {
      files.add("tokens of the decision API", decisions.reloads(), decisions::reloadTokens);
    }
    if (tokens != null) {
      files.add("keys of clients' tokens", tokens.reloads(), tokens::reload);
    }
    if (api != null && api.hasTokens()) {
      files.add("tokens of the admin port", api.reloads(), api::reloadTokens);
    }
    if (settings.rules().lists().hasFiles()) {
      files.add("lists", lists.reloads(), lists::reload);
    }
    if (whatIf != null) {
      files.add("the candidate", whatIf.reloads(), whatIf::reload);
    }
  }

  /** Starts the checks of event loops and the machine that need a thread of their own. */
  private void watch() {
    loops.watchBy(watchdog);
    watch(tables.words(), "limit table", "table.keys");
    if (tables.rings() != null) {
      watch(tables.rings(), "table of limits with rings", "table.ring-keys");
    }
    watchdog.watch(
        "bans",
        "full: bans end before their time",
        "those that end first are forgotten",
        loops.bans()::forgottenCount);
    watchRefusals(RefusalReason.TOO_MANY_PARKED, "rate limits");
    for (RefusalReason reason :
        List.of(
            RefusalReason.UPSTREAM_BUSY,
            RefusalReason.UPSTREAM_CLOSED,
            RefusalReason.UPSTREAM_MALFORMED,
            RefusalReason.UPSTREAM_TIMEOUT)) {
      watchRefusals(reason, "upstream");
    }
    if (store != null) {
      watchdog.watch(
          "leases",
          "full: no room for units of more keys",
          "mode leased asks Redis for each of their requests",
          loops.leases().table()::fullCount);
      watchdog.watch(
          "redis",
          "more requests pass undecided than are remembered",
          "those beyond are not charged when Redis is back",
          metrics::forgottenDebtCount);
    }
    watchdog.start();
  }

  private void watch(LimitTable table, String subject, String setting) {
    String toDo = setting + " may be more";
    watchdog.watch(subject, "full: keys give way, and regain a request", toDo, table::evictedCount);
    watchdog.watch(subject, "full: keys without room share a budget", toDo, table::overflowCount);
  }

  private void watchRefusals(RefusalReason reason, String subject) {
    String detail = reason.detail();
    watchdog.watch(
        subject,
        detail.substring(0, detail.length() - 1), // without its full stop
        "requests get a " + reason.httpStatus() + " " + reason.label(),
        () -> metrics.refusalCount(reason));
  }

  /** A warm-up that has begun; null if it is not possible. */
  private WarmUp warmUp(Settings settings) {
    WarmUp begun = SidecarWarmUp.of(settings, transport, group);
    return begun != null && begun.begin() ? begun : null;
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
  private void startStore(Settings all) {
    StoreSettings settings = all.store();
    if (all.names().isKeyDerived()) {
      LOG.info(
          "redis: secrets are hashed in names under a key that anybody can derive: whoever reads"
              + " the store can try guesses (expected: redis.hash-key-file or"
              + " $WEIR_REDIS_HASH_KEY, the same on every sidecar)");
    }
    new SidecarFigures(metrics).expose(store, loops.leases());
    boolean isConnected = store.start(STORE_WAIT_NS);
    if (records != null) {
      records.awaitFirst(isConnected ? RECORDS_WAIT_NS : 0);
    }
    if (isConnected) {
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

  private LoopStore storeOf(LoopParts parts) {
    return store.join(parts.eventLoop(), parts.clock(), parts.deadlines(), parts.metrics().store());
  }

  private void startDecisions() throws IOException {
    try {
      decisions.listen(tls::of, transport, group);
    } catch (IOException | RuntimeException e) {
      listeners.close();
      throw e;
    }
  }

  /** The pages that tell of rules, and the API. */
  private List<Route> routes(Settings settings) {
    ExplainPage explain =
        new ExplainPage(
            () ->
                new SidecarExplainer(
                    settings, loops.lists(), loops.bans(), loops.users(), loops.hasher(), tokens),
            () -> rules,
            loops);
    List<Route> routes = new ArrayList<>();
    routes.add(explain.route());
    if (whatIf != null) {
      routes.add(WhatIfPage.route(caller -> shown(whatIf.report(), caller)));
    }
    if (api != null) {
      UserLimits users = new SidecarUserLimits(this::rules, loops);
      SidecarTop top = new SidecarTop(loops);
      routes.addAll(api.routes(explain, records, this::rules, users, top, files, whatIf));
    }
    return routes;
  }

  /** A comparison as the caller of a page may see it, with tokens as the API shows it. */
  private WhatIfReport shown(WhatIfReport report, Caller caller) {
    return api == null || !api.hasTokens() ? report : report.shownBy(api.shownTo(caller));
  }

  private WebServer startAdmin(Settings settings) throws IOException {
    ProcessSettings process = settings.process();
    if (process.admin() == null && process.monitoring() == null) {
      return null;
    }
    ListenerSettings listener = process.admin();
    WebServer server =
        new WebServer(
            listener == null ? null : listener.address(),
            process.adminHosts(),
            process.monitoring(),
            metrics,
            () -> ready,
            watchdog::fault,
            () -> routes(settings),
            api);
    try {
      if (api != null) {
        api.start(metrics);
      }
      if (listener != null && listener.tls() != null) {
        server.encrypt(
            loop -> {
              tls.join(loop);
              return tls.of(listener);
            });
      }
      server.start();
    } catch (IOException | RuntimeException e) {
      listeners.close();
      decisions.stopListening();
      throw e;
    }
    return server;
  }

  /** Waits until the warm-up has ended by itself, if there is one. */
  public void awaitWarmUp() throws InterruptedException {
    if (warmUp != null) {
      warmUp.awaitEnd();
    }
  }

  /** The number of answered warm-up requests; 0 without a warm-up. */
  public int warmUpRequestCount() {
    return warmUp == null ? 0 : warmUp.requestCount();
  }

  private void stopWarmUp() {
    if (warmUp != null) {
      warmUp.close();
    }
  }

  @Override
  public synchronized RuleSet change(UnaryOperator<RuleSet> change) {
    RuleSet next = change.apply(rules);
    publish(next);
    return next;
  }

  /** Compiles the rules again if the time of day was set, or a former name has ended. */
  private void renewRules() {
    LoopClock.followTimeOfDay();
    boolean isSet = LoopClock.unixEpochNs() != followedEpochNs;
    if (isSet) {
      followedEpochNs = LoopClock.unixEpochNs();
      LOG.warn("the time of day was set: windows of the clock and the calendar follow it");
      if (whatIf != null) {
        whatIf.renew();
      }
    }
    if (isSet || rules.formerNamesUntilNs() <= LoopClock.timeNs()) {
      change(inUse -> inUse.again(LoopClock.unixEpochNs(), LoopClock.timeNs()));
    }
  }

  /** Replaces the rules on every event loop; when all have done so, none checks under others. */
  public synchronized void publish(RuleSet newRules) {
    shares.follow(newRules);
    rules = newRules;
    newRules.succeed();
    loops.publish(newRules);
    if (whatIf != null) {
      whatIf.begin();
    }
  }

  /** Chooses between the rules of the file and the recorded ones. */
  public RuleChoice ruleChoice() {
    return ruleChoice;
  }

  /** The rules and users that are kept in records; null if nothing is. */
  public RecordsInUse records() {
    return records;
  }

  /** Knows from now on the settings file that is followed. */
  public void follow(RuleReload file) {
    files.follow(file);
  }

  /** Whether there are files to read again. */
  boolean hasFiles() {
    return !files.isEmpty();
  }

  /** Reads all files again, changed or not: for SIGHUP. Any thread. */
  public void reload() {
    files.reload();
  }

  /** Counts the reloads of the rules. */
  public Reloads ruleReloads() {
    return ruleReloads;
  }

  @Override
  public RuleSet rules() {
    return rules;
  }

  /** The addresses that clients connect to, in the order of the settings. */
  public List<SocketAddress> listenAddresses() {
    return listeners.addresses();
  }

  /** The addresses of the decision API, in the order of the settings; empty if there is none. */
  public List<SocketAddress> decisionAddresses() {
    return decisions.addresses();
  }

  /** The first of the addresses that clients connect to. */
  public SocketAddress listenAddress() {
    return listeners.addresses().get(0);
  }

  @Override
  public void use(ListSettings changed) {
    lists.use(changed);
  }

  /** The address of the admin port; null if it is off. */
  public SocketAddress adminAddress() {
    return admin == null ? null : admin.adminAddress();
  }

  /** The address of the monitoring port; null if it is off. */
  public SocketAddress monitoringAddress() {
    return admin == null ? null : admin.monitoringAddress();
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
   * Makes {@code /readyz} 503, and ends as {@link Drain} does.
   *
   * @param timeoutNs for the requests in flight, once no more clients are accepted.
   * @return whether all had ended in time; false, too, if interrupted.
   */
  public boolean drain(long timeoutNs) {
    ready = false;
    stopWarmUp();
    loops.stopServing();
    boolean isEmpty = drain.run(timeoutNs);
    loops.giveBackLeases();
    return isEmpty;
  }

  /** Accepts no more clients; every response from now on ends its connection. */
  private void endConnections() {
    listeners.close();
    decisions.stopListening();
    loops.drain();
  }

  /** Stops at once, whatever is in flight. */
  @Override
  public void close() {
    ready = false;
    listeners.close();
    decisions.stopListening();
    loops.closeConnections();
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
    clockWatch.close();
    watchdog.close();
    stopWarmUp();
    decisions.close();
    lists.close();
    if (tokens != null) {
      tokens.close();
    }
    if (api != null) {
      api.close();
    }
    if (rateLimits != null) {
      rateLimits.close();
    }
    if (records != null) {
      records.close();
    }
    if (store != null) {
      loops.giveBackLeases();
      store.close();
    }
    if (whatIf != null) {
      whatIf.stop();
    }
    if (service != null) {
      service.close();
    }
    guard.leave();
    LoopEnd.await(group);
    loops.close();
    tls.close();
    if (latencyLog != null) {
      latencyLog.close();
    }
    tables.close();
    loops.users().close();
    if (whatIf != null) {
      whatIf.close();
    }
  }
}
