package dev.weir.bench.torture;

import dev.weir.bench.process.TemporaryFolder;
import dev.weir.bench.torture.judge.Asked;
import dev.weir.bench.torture.judge.Evidence;
import dev.weir.bench.torture.judge.Finding;
import dev.weir.bench.torture.judge.Happening;
import dev.weir.bench.torture.judge.Judge;
import dev.weir.bench.torture.judge.ProcessEnd;
import dev.weir.bench.torture.judge.Reading;
import dev.weir.bench.torture.judge.Revival;
import dev.weir.bench.torture.judge.Verdict;
import dev.weir.bench.torture.plan.AttackPlan;
import dev.weir.bench.torture.plan.ClientPlan;
import dev.weir.bench.torture.plan.Draw;
import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.Plan;
import dev.weir.bench.torture.plan.RulePlan;
import dev.weir.bench.torture.site.Site;
import dev.weir.bench.torture.traffic.Attack;
import dev.weir.bench.torture.traffic.HonestClient;
import dev.weir.bench.torture.traffic.Probes;
import dev.weir.bench.torture.traffic.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs one plan from its start to the verdict of the judges. */
final class Episode {
  private static final int SETTLE_SECONDS = 20;
  private static final long END_SECONDS = 180;

  /** Identities of a rule whose budgets are read in the end. */
  private static final int READINGS_MOST = 8;

  /** Budgets of such windows are whole again within seconds. */
  private static final long SHORT_WINDOW_MS = 2_000;

  private static final long LOG_MARGIN_MS = 1_000;
  private static final long PEAK_PAUSE_MS = 250;

  private final Plan plan;
  private final Path launcher;
  private final Pulse pulse = new Pulse();

  /**
   * What came of it.
   *
   * @param report what a finding looks like in the time line; empty if there is none.
   */
  record Outcome(List<Finding> findings, Evidence evidence, String report) {
    Verdict verdict() {
      return Verdict.of(evidence, findings);
    }

    String summary() {
      final long passed =
          evidence.asked().stream().filter(a -> a.outcome() == Asked.Outcome.PASSED).count();
      final long refused =
          evidence.asked().stream().filter(a -> a.outcome() == Asked.Outcome.REFUSED).count();
      return ("%d requests (%d undisturbed by the machine), %d passed, %d refused, %d of %d faults,"
              + " at most %.0f streams and %.0f MiB in a process, in the end at most %d MiB more")
          .formatted(
              evidence.asked().size(),
              evidence.undisturbed(),
              passed,
              refused,
              evidence.happenings().size(),
              evidence.plan().faults().size(),
              peak(ProcessEnd.STREAMS),
              peak(ProcessEnd.RSS_MIB),
              evidence.ends().stream()
                  .mapToLong(end -> end.rssMib().now() - end.rssMib().before())
                  .max()
                  .orElse(0));
    }

    private double peak(String of) {
      return evidence.ends().stream()
          .mapToDouble(end -> end.peaks().getOrDefault(of, 0.0))
          .max()
          .orElse(0);
    }
  }

  Episode(Plan plan, Path launcher) {
    this.plan = plan;
    this.launcher = launcher;
  }

  /** Runs it; all that it starts has ended when this returns. */
  Outcome run() throws IOException, InterruptedException {
    final ExecutorService threads = Executors.newCachedThreadPool();
    try (TemporaryFolder folder = new TemporaryFolder("weir-torture");
        Site site = new Site(plan, launcher, folder.path())) {
      site.awaitCalm();
      site.remember();
      return run(site, threads);
    } finally {
      threads.shutdownNow();
      threads.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
    }
  }

  private Outcome run(Site site, ExecutorService threads) throws IOException, InterruptedException {
    final List<HonestClient> clients = new ArrayList<>();
    final List<Attack> attacks = new ArrayList<>();
    final List<String> paths =
        plan.rules().stream().filter(RulePlan::isOwn).map(RulePlan::path).toList();
    for (ClientPlan client : plan.clients()) {
      clients.add(
          new HonestClient(client, rule(client), own(client.number()), site::targets, site.tls()));
    }
    for (AttackPlan attack : plan.attacks()) {
      attacks.add(new Attack(attack, paths, own(1_000 + attack.number()), site::targets));
    }
    final long startNs = System.nanoTime();
    final long epochNs = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    final List<Future<?>> running = new ArrayList<>();
    threads.submit(pulse);
    clients.forEach(client -> running.add(threads.submit(client)));
    attacks.forEach(attack -> running.add(threads.submit(attack)));
    final List<Future<?>> lanes = new ArrayList<>();
    for (FaultPlan.Lane lane : FaultPlan.Lane.values()) {
      lanes.add(threads.submit(() -> happen(site, lane, startNs)));
    }
    final List<Finding> findings = new ArrayList<>();
    while (System.nanoTime() - startNs < TimeUnit.MILLISECONDS.toNanos(plan.lastsMs())) {
      site.lookAtPeaks();
      TimeUnit.MILLISECONDS.sleep(PEAK_PAUSE_MS);
    }
    lanes.forEach(lane -> await(lane, "a fault", findings));
    attacks.forEach(Attack::stop);
    clients.forEach(HonestClient::stop);
    running.forEach(client -> await(client, "a client", findings));
    final List<Asked> asked =
        clients.stream()
            .flatMap(client -> client.asked().stream())
            .sorted(Comparator.comparingLong(Asked::sentNs))
            .toList();
    final Evidence evidence = afterwards(site, settled(site, asked, startNs, epochNs), threads);
    for (Judge judge : Judge.all()) {
      findings.addAll(judge.judge(evidence));
    }
    return new Outcome(findings, evidence, report(site, evidence, findings));
  }

  private RulePlan rule(ClientPlan client) {
    return plan.rules().stream()
        .filter(rule -> rule.number() == client.rule())
        .findFirst()
        .orElseThrow();
  }

  /** A source that is the same whatever else there is. */
  private Draw own(int number) {
    return new Draw(plan.seed() * 1_000_003 + number);
  }

  private Void happen(Site site, FaultPlan.Lane lane, long startNs)
      throws IOException, InterruptedException {
    for (FaultPlan fault : plan.faults()) {
      if (fault.kind().lane() == lane) {
        final long waitNs =
            startNs + TimeUnit.MILLISECONDS.toNanos(fault.atMs()) - System.nanoTime();
        TimeUnit.NANOSECONDS.sleep(Math.max(0, waitNs));
        site.happen(fault);
      }
    }
    return null;
  }

  private static void await(Future<?> task, String what, List<Finding> findings) {
    try {
      task.get(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      final long nowNs = System.nanoTime();
      // A process that does not start, reload or answer in time is told by an IOException.
      final boolean isLate = e instanceof TimeoutException || e.getCause() instanceof IOException;
      final String judge = isLate ? Finding.LATE : Finding.RUN;
      findings.add(new Finding(judge, what + ": " + e, nowNs, nowNs));
    }
  }

  /** The evidence, once processes have let go of what clients had, or have had the time for it. */
  private Evidence settled(Site site, List<Asked> asked, long startNs, long epochNs)
      throws InterruptedException {
    final Judge leftovers = Judge.ofLeftovers();
    final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLE_SECONDS);
    while (true) {
      TimeUnit.MILLISECONDS.sleep(250);
      final List<ProcessEnd> ends = site.ends();
      final Evidence evidence =
          new Evidence(
              plan,
              startNs,
              epochNs,
              asked,
              site.ledger().served(),
              site.happenings(),
              site.regimes(),
              pulse.pauses(),
              site.passedUndecided(),
              List.of(),
              List.of(),
              ends);
      if (leftovers.judge(evidence).isEmpty() || System.nanoTime() - deadlineNs > 0) {
        return evidence;
      }
    }
  }

  /** The evidence with the budgets that sidecars report, and whether short windows are free. */
  private static Evidence afterwards(Site site, Evidence evidence, ExecutorService threads)
      throws InterruptedException {
    final List<Reading> readings = new ArrayList<>();
    final List<Future<Revival>> reviving = new ArrayList<>();
    final List<RulePlan> rules = evidence.regimes().get(evidence.regimes().size() - 1).rules();
    for (RulePlan rule : rules) {
      if (!rule.isOwn()) {
        continue; // nobody can ask about it, or only its clients
      }
      final List<List<Integer>> identities =
          evidence.asked().stream()
              .filter(asked -> asked.rule() == rule.number())
              .map(Asked::identities)
              .distinct()
              .limit(READINGS_MOST)
              .toList();
      for (Target target : site.targets()) {
        for (List<Integer> each : identities) {
          reading(site, target, rule, each).ifPresent(readings::add);
        }
      }
      if (rule.options().everywhere() && !evidence.everywhere().isEmpty()) {
        continue; // the limits of all requests may refuse
      }
      if (evidence.plan().hard() && !identities.isEmpty() && isLeasedForLong(rule)) {
        // What was refused for hours passes soon after an operator has given it back: at one
        // sidecar after the other, as one request may use all of it.
        for (Target target : site.targets()) {
          reviving.add(
              threads.submit(
                  () -> {
                    synchronized (rule) {
                      site.reset(target, rule);
                      return Probes.revive(target, rule.number(), rule.path());
                    }
                  }));
        }
      }
      if (!identities.isEmpty()
          && rule.limits().stream().allMatch(limit -> limit.windowMs() <= SHORT_WINDOW_MS)) {
        site.targets()
            .forEach(
                target ->
                    reviving.add(
                        threads.submit(() -> Probes.revive(target, rule.number(), rule.path()))));
      }
    }
    final List<Revival> revivals = new ArrayList<>();
    for (Future<Revival> revival : reviving) {
      try {
        revivals.add(revival.get(END_SECONDS, TimeUnit.SECONDS));
      } catch (ExecutionException | TimeoutException e) {
        throw new IllegalStateException(e);
      }
    }
    return evidence.with(readings, revivals);
  }

  private static boolean isLeasedForLong(RulePlan rule) {
    return rule.mode() == RulePlan.Mode.LEASED
        && rule.limits().stream().anyMatch(limit -> limit.windowMs() > SHORT_WINDOW_MS);
  }

  /** The quota that a sidecar reports for a rule; empty if {@code on-store-failure} decided. */
  private static Optional<Reading> reading(
      Site site, Target target, RulePlan rule, List<Integer> identities) {
    try {
      final double before = site.undecided(target);
      final Reading reading = Probes.read(target, rule.number(), rule.path(), identities);
      return site.undecided(target) == before ? Optional.of(reading) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String report(Site site, Evidence evidence, List<Finding> findings) {
    final StringBuilder text = new StringBuilder();
    for (Finding finding : findings) {
      final long toNs = Math.min(finding.toNs(), System.nanoTime());
      final long fromMs = (finding.fromNs() - evidence.startNs()) / 1_000_000;
      final long toMs = (toNs - evidence.startNs()) / 1_000_000;
      text.append("%s, %d to %d ms: %s%n".formatted(finding.judge(), fromMs, toMs, finding.text()));
      for (Happening happening : evidence.happenings()) {
        text.append(
            "  %s%s from %d to %d ms%n"
                .formatted(
                    happening.kind(),
                    happening.sidecar() == Happening.ALL ? "" : " " + happening.sidecar(),
                    (happening.fromNs() - evidence.startNs()) / 1_000_000,
                    (happening.toNs() - evidence.startNs()) / 1_000_000));
      }
      final long epochMs = evidence.epochNs() / 1_000_000;
      text.append(
          site.logs(epochMs + fromMs - LOG_MARGIN_MS, epochMs + toMs + LOG_MARGIN_MS).indent(2));
    }
    if (!findings.isEmpty()) {
      final String start = evidence.startNs() + " ns: the episode begins";
      text.append(start.indent(2));
      site.ledger().ends().forEach(end -> text.append(end.indent(2)));
    }
    return text.toString();
  }
}
