package dev.weir.bench.simulation;

import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.store.CounterBudget;
import dev.weir.algorithms.store.LogBudget;
import dev.weir.algorithms.store.PacedBudget;
import dev.weir.algorithms.store.RingBudget;
import dev.weir.algorithms.store.StoredBudget;
import dev.weir.algorithms.store.StoredBudgets;
import dev.weir.algorithms.store.WindowBudget;
import dev.weir.proxy.rule.spec.LimitSpec;
import java.math.BigInteger;
import java.util.concurrent.TimeUnit;

/** One limit, as the store, the sidecars and who checks them each have it. */
final class SimulatedLimit {
  static final int SUB_WINDOWS = 10;

  private final LimitSpec spec;
  private final long leaseLifeUs;
  private final long windowUs;

  /**
   * @param spec that can be counted by the store; without an alignment or sub-window of its own.
   * @param leaseLifeNs of units that are kept, at most; 0 for that of the limit's kind.
   */
  SimulatedLimit(LimitSpec spec, long leaseLifeNs) {
    this.spec = spec;
    this.leaseLifeUs =
        leaseLifeNs == 0 ? spec.leaseLifeUs() : TimeUnit.NANOSECONDS.toMicros(leaseLifeNs);
    this.windowUs = TimeUnit.NANOSECONDS.toMicros(spec.rate().windowNs());
  }

  long capacity() {
    return spec.capacity();
  }

  /** Units per second that the limit lets pass in the long run. */
  double perSecond() {
    return spec.rate().count() * 1e9 / spec.rate().windowNs();
  }

  LeaseTerms terms() {
    return new LeaseTerms(TimeUnit.MICROSECONDS.toNanos(leaseLifeUs), spec.isSpaced());
  }

  /**
   * A fresh budget.
   *
   * @param isLeased whether any of its units may be kept.
   */
  StoredBudgets budgets(boolean isLeased) {
    return new StoredBudgets(budget(isLeased ? leaseLifeUs : 0));
  }

  private StoredBudget budget(long longestLifeUs) {
    long count = spec.rate().count();
    return switch (spec.algorithm()) {
      case GCRA, TOKEN_BUCKET, LEAKY_BUCKET -> {
        long common = BigInteger.valueOf(count).gcd(BigInteger.valueOf(windowUs)).longValueExact();
        yield new PacedBudget(spec.capacity(), count / common, windowUs / common, longestLifeUs);
      }
      case FIXED_WINDOW -> new WindowBudget(count, windowUs, 0);
      case SLIDING_COUNTER -> new CounterBudget(count, windowUs);
      case SLIDING_LOG -> new LogBudget(count, windowUs);
      case BUCKET_RING -> new RingBudget(count, windowUs / SUB_WINDOWS, SUB_WINDOWS);
    };
  }

  Uses uses() {
    return Uses.of(spec);
  }
}
