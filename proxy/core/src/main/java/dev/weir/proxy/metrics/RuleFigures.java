package dev.weir.proxy.metrics;

import dev.weir.proxy.metrics.RuleCounters.Outcome;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The counters of every rule on every event loop, which survive a reload. A rule that no event loop
 * uses any more keeps its counters for an hour: one that comes back within it goes on from them, so
 * that no scrape sees a count fall. Then it is forgotten on all loops at once.
 *
 * <p>Locked, and asked for when rules are swapped and at a scrape only: an event loop counts by the
 * {@link RuleCounters} that it has been given.
 */
final class RuleFigures {
  static final long KEPT_NS = TimeUnit.HOURS.toNanos(1);

  /** Rules out of use that are kept; of more, those go first that have been out of use longest. */
  static final int MOST_KEPT = 4_096;

  /** The count of an outcome that a rule cannot have. */
  static final long NOT_SHOWN = -1;

  private final LongSupplier clockNs;
  private final Map<String, Figures> byRule = new TreeMap<>();

  /** The counters of one rule. */
  private static final class Figures {
    private final Map<LoopMetrics, RuleCounters> counters = new IdentityHashMap<>();

    /** The event loops that use the rule, as the keys. */
    private final Map<LoopMetrics, Boolean> users = new IdentityHashMap<>();

    private Set<Outcome> possible = EnumSet.allOf(Outcome.class);

    /** When its last user has left; of no meaning while it has one. */
    private long goneNs;

    RuleCounters of(LoopMetrics loop) {
      return counters.computeIfAbsent(loop, x -> new RuleCounters());
    }

    boolean isGone() {
      return users.isEmpty();
    }
  }

  /**
   * @param clockNs monotonic.
   */
  RuleFigures(LongSupplier clockNs) {
    this.clockNs = clockNs;
  }

  /** The counters of a rule on an event loop, which uses it from now on, if it did not. */
  synchronized RuleCounters of(LoopMetrics loop, String id) {
    Figures figures = byRule.computeIfAbsent(id, x -> new Figures());
    figures.users.put(loop, true);
    return figures.of(loop);
  }

  /**
   * Names the rules that an event loop uses from now on, and no others.
   *
   * @param rules by id, the outcomes that each can have.
   */
  synchronized void use(LoopMetrics loop, Map<String, Set<Outcome>> rules) {
    rules.forEach(
        (id, possible) -> {
          of(loop, id);
          byRule.get(id).possible = possible;
        });
    long nowNs = clockNs.getAsLong();
    byRule.forEach(
        (id, figures) -> {
          if (!rules.containsKey(id) && figures.users.remove(loop) != null && figures.isGone()) {
            figures.goneNs = nowNs;
          }
        });
    forget(nowNs);
  }

  private void forget(long nowNs) {
    byRule.values().removeIf(rule -> rule.isGone() && nowNs - rule.goneNs >= KEPT_NS);
    long kept = byRule.values().stream().filter(Figures::isGone).count();
    if (kept > MOST_KEPT) {
      byRule.entrySet().stream()
          .filter(rule -> rule.getValue().isGone())
          .sorted((a, b) -> Long.compare(a.getValue().goneNs - nowNs, b.getValue().goneNs - nowNs))
          .limit(kept - MOST_KEPT)
          .map(Entry::getKey)
          .toList()
          .forEach(byRule::remove);
    }
  }

  /**
   * The counts of all loops together by rule id, then by the outcome's ordinal; {@link #NOT_SHOWN}
   * for what a rule cannot come to, and never came to.
   */
  synchronized TreeMap<String, long[]> sums() {
    forget(clockNs.getAsLong());
    TreeMap<String, long[]> sums = new TreeMap<>();
    byRule.forEach((id, figures) -> sums.put(id, sums(figures)));
    return sums;
  }

  private static long[] sums(Figures figures) {
    long[] sums = new long[Outcome.values().length];
    for (Outcome outcome : Outcome.values()) {
      long sum = 0;
      for (RuleCounters counters : figures.counters.values()) {
        sum += counters.count(outcome);
      }
      boolean isShown = sum > 0 || figures.possible.contains(outcome);
      sums[outcome.ordinal()] = isShown ? sum : NOT_SHOWN;
    }
    return sums;
  }
}
