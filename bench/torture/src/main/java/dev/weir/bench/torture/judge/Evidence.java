package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.Plan;
import dev.weir.bench.torture.plan.RulePlan;
import java.util.List;
import java.util.Map;

/**
 * All that was seen of an episode.
 *
 * @param startNs of {@link System#nanoTime}, before the first request.
 * @param epochNs Unix time at {@code startNs}.
 * @param served by the numbers of requests.
 * @param passedUndecided how many requests {@code on-store-failure} let pass, over all processes,
 *     at most; -1 if that is not known.
 */
public record Evidence(
    Plan plan,
    long startNs,
    long epochNs,
    List<Asked> asked,
    Map<Long, Served> served,
    List<Happening> happenings,
    List<Regime> regimes,
    List<Pause> pauses,
    long passedUndecided,
    List<Reading> readings,
    List<Revival> revivals,
    List<ProcessEnd> ends) {
  private static final long CLOCK_NS = 20_000_000;
  private static final long BUSY_CLOCK_NS = 1_000_000_000;

  /**
   * How far a process's clock, which it reads once in each turn of its loop, may be behind within a
   * span: a turn is longer on a machine that is busy.
   */
  long clockNs(long fromNs, long toNs) {
    return isBusy(fromNs, toNs) ? BUSY_CLOCK_NS : CLOCK_NS;
  }

  /** Whether a pause of the machine may have touched a span. */
  boolean isBusy(long fromNs, long toNs) {
    return pauses.stream().anyMatch(pause -> pause.isAround(fromNs, toNs));
  }

  /** The numbers of the limits of all requests. */
  public List<Integer> everywhere() {
    return plan.rules().stream()
        .filter(rule -> rule.kind() == RulePlan.Kind.EVERYWHERE)
        .map(RulePlan::number)
        .toList();
  }

  /** Whether a process had no room for so many identities, so that some shared a budget. */
  boolean hasFullTable(int life) {
    return ends.stream().anyMatch(end -> end.life() == life && end.hasFullTable());
  }

  /** Whether a fault of a kind happened. */
  boolean has(FaultPlan.Kind kind) {
    return happenings.stream().anyMatch(happening -> happening.kind() == kind);
  }

  /** How many requests no pause of the machine touched. */
  public long undisturbed() {
    return asked.stream().filter(each -> !isBusy(each.sentNs(), each.answeredNs())).count();
  }

  /** Whether the machine's pauses touched more than half of the requests. */
  boolean isMostlyDisturbed() {
    return undisturbed() * 2 < asked.size();
  }

  /** This evidence with the readings and revivals that were made after all traffic had ended. */
  public Evidence with(List<Reading> read, List<Revival> revived) {
    return new Evidence(
        plan,
        startNs,
        epochNs,
        asked,
        served,
        happenings,
        regimes,
        pauses,
        passedUndecided,
        read,
        revived,
        ends);
  }
}
