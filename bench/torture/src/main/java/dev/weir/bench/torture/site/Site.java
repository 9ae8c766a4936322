package dev.weir.bench.torture.site;

import dev.weir.bench.torture.judge.Happening;
import dev.weir.bench.torture.judge.ProcessEnd;
import dev.weir.bench.torture.judge.Regime;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.Plan;
import dev.weir.bench.torture.plan.RuleChange;
import dev.weir.bench.torture.plan.RulePlan;
import dev.weir.bench.torture.traffic.HonestClient;
import dev.weir.bench.torture.traffic.Ledger;
import dev.weir.bench.torture.traffic.Probes;
import dev.weir.bench.torture.traffic.Service;
import dev.weir.bench.torture.traffic.Target;
import dev.weir.scripts.server.SelfSignedCertificate;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;

/**
 * The service, the store and the sidecars of an episode, and what happened to them. Each lane of
 * faults has a thread of its own; targets may be asked for by any. Ends all that it started.
 */
public final class Site implements AutoCloseable {
  private static final String ENVOYS = "limits";
  private static final String TOKENS = "tokens";
  private static final String TOKEN = "one-token-of-the-torture-run";
  private static final int RETURN_MS = 300;
  private static final int CALM_TRIES = 100;
  private static final int CALM_TIMES = 10;
  private static final long CALM_PAUSE_MS = 200;
  private static final long CALM_NS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Plan plan;
  private final Ledger ledger = new Ledger();
  private final SSLContext tls;
  private final Service service;
  private final StoreSite store;
  private final List<Sidecar> sidecars = new ArrayList<>();
  private final List<Happening> happenings = new CopyOnWriteArrayList<>();
  private final List<Regime> regimes = new CopyOnWriteArrayList<>();
  private List<RulePlan> rules;

  /**
   * Starts all of it, and returns once all listen.
   *
   * @param folder for files, there and empty.
   */
  public Site(Plan plan, Path launcher, Path folder) throws IOException {
    this.plan = plan;
    rules = plan.rules();
    final SelfSignedCertificate certificate = new SelfSignedCertificate();
    tls = certificate.clientContext();
    service = Service.start(plan.http2Service(), ledger);
    StoreSite started = null;
    try {
      final Path clock = clock(folder);
      started = new StoreSite(plan, folder, DayClock.of(clock, folder.resolve("store-clock")));
      for (int i = 0; i < plan.sidecars(); i++) {
        final Path own = Files.createDirectory(folder.resolve("sidecar-" + i));
        Files.writeString(own.resolve(TOKENS), TOKEN + "\n");
        writeEnvoys(own);
        final String listener =
            "tls: {certificate: %s, key: %s}"
                .formatted(certificate.writeCertificate(own), certificate.writeKey(own));
        sidecars.add(
            new Sidecar(
                i,
                launcher,
                own,
                listener + "\n" + settings(started, own),
                DayClock.of(clock, own.resolve("clock")),
                SmallDisk.at(
                    Files.createDirectory(own.resolve("logs")),
                    plan.has(FaultPlan.Kind.LOGS_FULL))));
      }
      store = started;
      for (Sidecar sidecar : sidecars) {
        sidecar.start(rules);
      }
      regimes.add(new Regime(rules, Long.MIN_VALUE, Long.MAX_VALUE));
    } catch (IOException | RuntimeException e) {
      sidecars.forEach(Sidecar::close);
      if (started != null) {
        started.close();
      }
      service.close();
      throw e;
    }
  }

  private String settings(StoreSite at, Path own) {
    return """
        service: torture
        upstream: %s
        trusted-proxies: [%s/32]
        decision-tokens: %s
        %s
        event-loops: 1
        timeouts: {drain: 3s}
        table: {ring-keys: 1024, ring-cells: 1000}
        redis: {%s, deadline: %dms}
        """
        .formatted(
            service.url(),
            HonestClient.PROXY,
            own.resolve(TOKENS),
            hasEnvoys() ? "ratelimit-config: " + own.resolve(ENVOYS) : "",
            at.settings(),
            plan.storeDeadlineMs());
  }

  /** The library that sets clocks; null if none is set, or there is no compiler. */
  private Path clock(Path folder) throws IOException {
    final boolean isWanted =
        plan.has(FaultPlan.Kind.SIDECAR_CLOCK_SET) || plan.has(FaultPlan.Kind.STORE_CLOCK_SET);
    return isWanted ? DayClock.compile(folder) : null;
  }

  private boolean hasEnvoys() {
    return plan.rules().stream().anyMatch(rule -> rule.kind() == RulePlan.Kind.ENVOY);
  }

  private void writeEnvoys(Path folder) throws IOException {
    final Path envoys = Files.createDirectory(folder.resolve(ENVOYS));
    for (RulePlan rule : plan.rules()) {
      if (rule.kind() == RulePlan.Kind.ENVOY) {
        Files.writeString(envoys.resolve(rule.id() + ".yaml"), rule.envoyYaml());
      }
    }
  }

  /** The sidecars that may be asked now. */
  public List<Target> targets() {
    return sidecars.stream().map(Sidecar::target).toList();
  }

  /** The TLS of clients that trust the sidecars' certificate alone. */
  public SSLContext tls() {
    return tls;
  }

  /** The requests that came to the service. */
  public Ledger ledger() {
    return ledger;
  }

  public List<Happening> happenings() {
    return List.copyOf(happenings);
  }

  public List<Regime> regimes() {
    return List.copyOf(regimes);
  }

  /** Waits until each sidecar and its connections to the store have started, or for some 20 s. */
  public void awaitCalm() throws IOException, InterruptedException {
    int calm = 0;
    for (int i = 0; i < CALM_TRIES && calm < CALM_TIMES; i++) {
      final long beganNs = System.nanoTime();
      double failing = 0;
      try {
        for (Sidecar sidecar : sidecars) {
          failing += sidecar.present().metric("weir_store_connections_failing");
        }
      } catch (SocketTimeoutException e) {
        failing = 1; // the machine is too busy for it to say
      }
      final boolean quick = System.nanoTime() - beganNs < CALM_NS;
      calm = failing == 0 && quick ? calm + 1 : 0;
      TimeUnit.MILLISECONDS.sleep(CALM_PAUSE_MS);
    }
  }

  /** Remembers how each process is before any traffic. */
  public void remember() throws IOException {
    for (Sidecar sidecar : sidecars) {
      sidecar.present().remember();
    }
  }

  /** Notes what each sidecar keeps now. */
  public void lookAtPeaks() {
    sidecars.forEach(sidecar -> sidecar.present().lookAtPeaks());
  }

  /** How often the store did not decide for a sidecar, so far. */
  public double undecided(Target target) throws IOException {
    return sidecars.get(target.sidecar()).present().metric("weir_store_undecided_total");
  }

  /** How all processes that there were are now. */
  public List<ProcessEnd> ends() {
    return lives().map(Life::end).toList();
  }

  private java.util.stream.Stream<Life> lives() {
    return sidecars.stream().flatMap(sidecar -> sidecar.lives().stream());
  }

  /** How many requests passed undecided, at most, as of the last {@link #ends}; -1 if unknown. */
  public long passedUndecided() {
    final long[] passed = lives().mapToLong(Life::passedUndecided).toArray();
    return Arrays.stream(passed).anyMatch(each -> each < 0) ? -1 : Arrays.stream(passed).sum();
  }

  /** A fault happens, if it can on this machine, and is over when this returns. */
  public void happen(FaultPlan fault) throws IOException, InterruptedException {
    final long fromNs = System.nanoTime();
    final Sidecar sidecar = sidecars.get(fault.target() % sidecars.size());
    if (!sidecar.canHappen(fault.kind()) || !store.canHappen(fault.kind())) {
      return;
    }
    switch (fault.kind()) {
      case SIDECAR_STOPPED -> {
        sidecar.present().process().suspend();
        TimeUnit.MILLISECONDS.sleep(fault.lastsMs());
        sidecar.present().process().resume();
      }
      case SIDECAR_KILLED -> {
        sidecar.present().kill();
        TimeUnit.MILLISECONDS.sleep(RETURN_MS);
        sidecar.start(rules); // elsewhere: nobody takes the one for the other
        sidecar.present().remember();
      }
      case SIDECAR_REPLACED -> {
        final Life before = sidecar.present();
        sidecar.start(rules);
        sidecar.present().remember();
        before.terminate();
      }
      case SIDECAR_CLOCK_SET -> sidecar.setClock(fault.stepNs(), fault.lastsMs());
      case LOGS_FULL -> sidecar.fillLogs(fault.lastsMs());
      case RULES_CHANGED ->
          change(RuleChange.apply(rules, fault.number() * 100 + fault.target(), plan.hard()));
      case RULES_BROKEN -> write("rules:\n  - id: broken\n    limit: 0/1m\n");
      case BUDGETS_RESET -> reset(sidecar.target(), rule(fault));
      case SERVICE_RESTARTED -> service.restart(fault.lastsMs());
      default -> store.happen(fault);
    }
    final int happenedTo =
        switch (fault.kind()) {
          case SIDECAR_STOPPED, SIDECAR_KILLED, SIDECAR_REPLACED, SIDECAR_CLOCK_SET, LOGS_FULL ->
              fault.target() % sidecars.size();
          default -> Happening.ALL;
        };
    final int rule =
        fault.kind() == FaultPlan.Kind.BUDGETS_RESET ? rule(fault).number() : Happening.ALL;
    happenings.add(new Happening(fault.kind(), happenedTo, rule, fromNs, System.nanoTime()));
  }

  /** Gives the first identity of a rule its budgets back. */
  public void reset(Target target, RulePlan rule) throws IOException {
    Probes.reset(target, rule.path(), TOKEN);
  }

  private RulePlan rule(FaultPlan fault) {
    final List<RulePlan> own = plan.rules().stream().filter(RulePlan::isOwn).toList();
    return own.get(fault.target() / sidecars.size() % own.size());
  }

  private void change(List<RulePlan> next) throws IOException, InterruptedException {
    final long fromNs = System.nanoTime();
    write(RulePlan.yaml(next));
    final int last = regimes.size() - 1;
    final Regime before = regimes.get(last);
    regimes.add(new Regime(next, fromNs, Long.MAX_VALUE));
    regimes.set(last, new Regime(before.rules(), before.fromNs(), System.nanoTime()));
    rules = next;
  }

  private void write(String text) throws IOException, InterruptedException {
    final double[] before = new double[sidecars.size()];
    for (int i = 0; i < before.length; i++) {
      before[i] = sidecars.get(i).reloads();
    }
    for (Sidecar sidecar : sidecars) {
      sidecar.write(text);
    }
    for (int i = 0; i < before.length; i++) {
      sidecars.get(i).reload(before[i]);
    }
  }

  /** What the log of each process says of a span of Unix time. */
  public String logs(long fromEpochMs, long toEpochMs) {
    return lives()
        .map(
            life ->
                LogSpan.of(
                    life.log(),
                    fromEpochMs,
                    toEpochMs,
                    "sidecar " + life.target().sidecar() + "." + life.target().life() + ": "))
        .reduce("", String::concat);
  }

  @Override
  public void close() {
    sidecars.forEach(Sidecar::close);
    store.close();
    service.close();
  }
}
