package dev.weir.bench.fleet;

import dev.weir.bench.simulation.Uses;
import dev.weir.proxy.rule.spec.LimitSpec;
import java.util.Arrays;
import java.util.Comparator;

/** The outcome of requests for one budget. Written by one thread, and read when that has ended. */
final class BudgetTrace {
  final Intervals admitted = new Intervals();
  final Intervals refused = new Intervals();

  /** Requests without a decision: 503, no answer in time, or a connection that broke. */
  final Intervals undecided = new Intervals();

  /** Requests by which the worst window was surely over the limit. */
  long over(LimitSpec limit) {
    return WindowCheck.of(limit).over(admitted);
  }

  /**
   * How many of these requests one limiter without delay would have admitted, that decides on each
   * when it was sent.
   */
  long ideal(LimitSpec limit) {
    final long[] sentUs = new long[admitted.count() + refused.count() + undecided.count()];
    int count = 0;
    for (Intervals each : new Intervals[] {admitted, refused, undecided}) {
      for (int i = 0; i < each.count(); i++) {
        sentUs[count++] = each.fromUs(i);
      }
    }
    Arrays.sort(sentUs);
    final Uses uses = Uses.of(limit);
    long ideal = 0;
    for (long atUs : sentUs) {
      if (uses.freeAt(atUs) > 0) {
        uses.use(atUs, 1);
        ideal++;
      }
    }
    return ideal;
  }

  /**
   * How many requests were refused though what had been admitted left room: each taken at the
   * middle of its span, so of single requests it is an estimate.
   */
  long early(LimitSpec limit) {
    final Integer[] order = new Integer[admitted.count() + refused.count()];
    Arrays.setAll(order, index -> index);
    Arrays.sort(order, Comparator.comparingLong(this::middleUs));
    final Uses uses = Uses.of(limit);
    long early = 0;
    for (int index : order) {
      final long atUs = middleUs(index);
      if (index < admitted.count()) {
        uses.use(atUs, 1);
      } else if (uses.freeAt(atUs) > 0) {
        early++;
      }
    }
    return early;
  }

  /** The middle of an admitted request's span, or, behind those, of a refused one's. */
  private long middleUs(int index) {
    return index < admitted.count()
        ? admitted.middleUs(index)
        : refused.middleUs(index - admitted.count());
  }
}
