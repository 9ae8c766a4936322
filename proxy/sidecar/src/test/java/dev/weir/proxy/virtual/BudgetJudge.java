package dev.weir.proxy.virtual;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongBiFunction;

/**
 * Holds a sidecar to its limits that last, once nothing happens any more. It knows the manual and
 * what came of each request, and no more: a request that passed was charged once; one that was
 * refused by a limit, or for want of a connection, was not charged; one that failed in any other
 * way behind its verdict stays charged. Of a request whose client left, nobody knows.
 */
final class BudgetJudge {
  private final DrawnRule rule;

  BudgetJudge(DrawnRule rule) {
    this.rule = rule;
  }

  /** What came of the requests of one identity. */
  private static final class Tally {
    private int passed;
    private int charged;
    private int perhaps;
    private int notCharged;
    private int refused;
  }

  /**
   * Finds what passed, what was refused and what was charged right.
   *
   * @param isExact whether every question had its answer: otherwise more may be charged than
   *     anybody knows of.
   * @param used units of an identity, by the number of the limit.
   */
  void check(List<Exchange> all, boolean isExact, ToLongBiFunction<Integer, String> used) {
    if (!rule.lasts()) {
      return;
    }
    Map<String, Tally> tallies = tallies(all);
    for (int limit = 0; limit < rule.limitCount(); limit++) {
      int units = rule.units(limit);
      for (String identity : identities(all, limit)) {
        Tally tally = tallies.get(identity);
        String where = identity + ": " + tally.passed + " passed, and ";
        check(tally.passed <= units, where + "the limit is " + units);
        long charged = used.applyAsLong(limit, identity);
        int least = isExact ? tally.passed + tally.charged : tally.passed;
        int most = isExact ? tally.passed + tally.charged + tally.perhaps : units;
        most += rule.mostLost(limit, tally.notCharged);
        check(
            least <= charged && charged <= Math.min(most, units),
            where + charged + " are charged (expected: " + least + " to " + most + ')');
      }
    }
    for (Exchange exchange : all) {
      check(
          exchange.status() != 429 || mayBeFull(exchange, tallies, isExact),
          exchange + " is refused though no budget is used up");
    }
  }

  private Map<String, Tally> tallies(List<Exchange> all) {
    Map<String, Tally> tallies = new HashMap<>();
    for (int limit = 0; limit < rule.limitCount(); limit++) {
      for (Exchange exchange : all) {
        Tally tally =
            tallies.computeIfAbsent(exchange.identities.get(limit), identity -> new Tally());
        switch (exchange.cost()) {
          case PASSED -> tally.passed++;
          case CHARGED -> tally.charged++;
          case PERHAPS -> tally.perhaps++;
          case NOT_CHARGED -> tally.notCharged++;
          case REFUSED -> tally.refused++;
        }
      }
    }
    return tallies;
  }

  private static List<String> identities(List<Exchange> all, int limit) {
    return all.stream().map(exchange -> exchange.identities.get(limit)).distinct().toList();
  }

  /** Whether one of its budgets may have had no unit left, at some time. */
  private boolean mayBeFull(Exchange refused, Map<String, Tally> tallies, boolean isExact) {
    for (int limit = 0; limit < rule.limitCount(); limit++) {
      Tally tally = tallies.get(refused.identities.get(limit));
      int most = tally.passed + tally.charged + tally.perhaps + tally.notCharged;
      // What one of several limits refuses is charged to the others for a moment.
      most += rule.limitCount() > 1 ? tally.refused - 1 : 0;
      if (most >= rule.units(limit) - rule.mostKeptBack(limit) || !isExact) {
        return true;
      }
    }
    return false;
  }

  private static void check(boolean holds, String fault) {
    if (!holds) {
      throw new AssertionError(fault);
    }
  }
}
