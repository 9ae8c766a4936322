package dev.weir.bench.fleet;

import dev.weir.bench.fleet.FleetLoad.LoadPlan;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.LatencySeries.TimedHistogram;
import dev.weir.bench.report.RunResult.Slice;
import dev.weir.proxy.rule.spec.LimitSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.HdrHistogram.Histogram;

/**
 * The outcome of a load, by rule: of each budget the requests, and over time how many there were
 * and how long they took, from when they were due. Written by one thread, and read when that has
 * ended.
 */
final class FleetTrace {
  private static final long SLICE_NS = 1_000_000_000L;
  private static final double NS_PER_MS = 1e6;

  private final Map<String, RuleTrace> rules = new LinkedHashMap<>();
  private final UnixClock clock = UnixClock.now();
  private final long startNs;
  private final long durationNs;

  private static final class RuleTrace {
    private final Map<Integer, BudgetTrace> budgets = new LinkedHashMap<>();
    private final Histogram latencies = LatencySeries.emptyHistogram();
    private final Histogram[] sliceLatencies;
    private final long[][] sliceCounts;

    private RuleTrace(int slices) {
      sliceLatencies = new Histogram[slices];
      sliceCounts = new long[slices][Count.values().length];
      for (int i = 0; i < slices; i++) {
        sliceLatencies[i] = LatencySeries.emptyHistogram();
      }
    }
  }

  private enum Count {
    DUE,
    SENT,
    PASSED,
    REFUSED,
    FAILED
  }

  /**
   * @param startNs when the first request is due, of {@link System#nanoTime}.
   */
  FleetTrace(LoadPlan plan, long startNs) {
    this.startNs = startNs;
    this.durationNs = plan.durationNs();
    for (String rule : plan.rules()) {
      rules.put(rule, new RuleTrace((int) Math.max(1, durationNs / SLICE_NS)));
    }
  }

  private int slice(RuleTrace rule, long atNs) {
    return (int) Math.min(Math.max(0, atNs - startNs) / SLICE_NS, rule.sliceCounts.length - 1);
  }

  private void count(RuleTrace rule, Count count, long atNs) {
    rule.sliceCounts[slice(rule, atNs)][count.ordinal()]++;
  }

  private BudgetTrace budget(RuleTrace rule, int key) {
    return rule.budgets.computeIfAbsent(key, any -> new BudgetTrace());
  }

  void due(String rule, long dueNs) {
    count(rules.get(rule), Count.DUE, dueNs);
  }

  void sent(String rule, long sentNs) {
    count(rules.get(rule), Count.SENT, sentNs);
  }

  void answered(String rule, int key, int status, long dueNs, long sentNs, long nowNs) {
    final RuleTrace trace = rules.get(rule);
    final BudgetTrace budget = budget(trace, key);
    switch (status) {
      case 200 -> end(trace, Count.PASSED, budget.admitted, sentNs, nowNs);
      case 429 -> end(trace, Count.REFUSED, budget.refused, sentNs, nowNs);
      default -> end(trace, Count.FAILED, budget.undecided, sentNs, nowNs);
    }
    trace.latencies.recordValue(Math.max(1, nowNs - dueNs));
    trace.sliceLatencies[slice(trace, nowNs)].recordValue(Math.max(1, nowNs - dueNs));
  }

  /** A request ended without an answer, or was not even sent. */
  void failed(String rule, int key, long sentNs, long nowNs) {
    final RuleTrace trace = rules.get(rule);
    end(trace, Count.FAILED, budget(trace, key).undecided, sentNs, nowNs);
  }

  private void end(RuleTrace trace, Count as, Intervals of, long sentNs, long nowNs) {
    of.add(clock.notAfterUs(sentNs), clock.notBeforeUs(nowNs));
    count(trace, as, nowNs);
  }

  private long sum(String rule, ToLongFunction<BudgetTrace> figure) {
    return rules.get(rule).budgets.values().stream().mapToLong(figure).sum();
  }

  long admitted(String rule) {
    return sum(rule, budget -> budget.admitted.count());
  }

  long refused(String rule) {
    return sum(rule, budget -> budget.refused.count());
  }

  long undecided(String rule) {
    return sum(rule, budget -> budget.undecided.count());
  }

  /** Requests by which the worst window of any of its budgets was surely over the limit. */
  long over(String rule, LimitSpec limit) {
    return rules.get(rule).budgets.values().stream()
        .mapToLong(budget -> budget.over(limit))
        .max()
        .orElse(0);
  }

  /** How many one limiter without delay would have admitted. */
  long ideal(String rule, LimitSpec limit) {
    return sum(rule, budget -> budget.ideal(limit));
  }

  long early(String rule, LimitSpec limit) {
    return sum(rule, budget -> budget.early(limit));
  }

  Histogram latencies(String rule) {
    return rules.get(rule).latencies;
  }

  /** Its latencies by slices, as a report has them, that begin so late. */
  List<TimedHistogram> timedLatencies(String rule, long fromMs) {
    final List<TimedHistogram> timed = new ArrayList<>();
    final Histogram[] slices = rules.get(rule).sliceLatencies;
    for (int i = 0; i < slices.length; i++) {
      if (slices[i].getTotalCount() > 0) {
        timed.add(TimedHistogram.of(fromMs + beginMs(i), fromMs + endMs(i, slices), slices[i]));
      }
    }
    return timed;
  }

  /** Its counts by slices, as a report has them, that begin so late. */
  List<Slice> slices(String rule, long fromMs) {
    final List<Slice> slices = new ArrayList<>();
    final RuleTrace trace = rules.get(rule);
    for (int i = 0; i < trace.sliceCounts.length; i++) {
      final long[] counts = trace.sliceCounts[i];
      slices.add(
          new Slice(
              fromMs + beginMs(i),
              fromMs + endMs(i, trace.sliceLatencies),
              counts[Count.DUE.ordinal()],
              counts[Count.SENT.ordinal()],
              counts[Count.PASSED.ordinal()],
              counts[Count.REFUSED.ordinal()],
              counts[Count.FAILED.ordinal()]));
    }
    return slices;
  }

  private static long beginMs(int slice) {
    return Math.round(slice * SLICE_NS / NS_PER_MS);
  }

  private long endMs(int slice, Object[] slices) {
    return slice == slices.length - 1
        ? Math.round(durationNs / NS_PER_MS)
        : Math.round((slice + 1) * SLICE_NS / NS_PER_MS);
  }

  /** Microseconds by which the machine's time was set while this was recorded. */
  long clockStepUs() {
    return clock.stepUs(UnixClock.now());
  }
}
