package dev.weir.bench.check;

import static dev.weir.bench.check.Keys.BATCH;
import static dev.weir.bench.check.Keys.STEP_NS;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;

/**
 * A check of each algorithm, from an identity's 16 bytes to the decision, beside {@link FloorBench}
 * and {@link LibraryBench}.
 */
public class AlgorithmBench extends CheckBench {
  /**
   * Real time runs 32 times as fast here, so that a single key stays below the 1.9 million units
   * per second that a sliding counter can count.
   */
  private static final int CLOCK_SHIFT = 5;

  private static final long ORIGIN_NS = System.nanoTime();

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int allowed(Keys keys, Asker asker, Filled.Roomy filled) {
    return asker.tally(check(keys, asker, filled));
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int refused(Keys keys, Asker asker, Filled.Spent filled) {
    return asker.tally(check(keys, asker, filled));
  }

  private static int check(Keys keys, Asker asker, Filled filled) {
    int count = 0;
    long nowNs = keys.batchNs();
    final int start = asker.nextBatch();
    for (int i = start; i < start + BATCH; i++) {
      final long key = asker.hashOf(keys.id(i));
      count += filled.table.check(key, filled.limit, 1, nowNs, asker.out) ? 1 : 0;
      nowNs += STEP_NS;
    }
    return count;
  }

  /** A check that reads the clock itself, as the libraries do. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int allowedOwnClock(Keys keys, Asker asker, Filled.Roomy filled) {
    int count = 0;
    final int start = asker.nextBatch();
    for (int i = start; i < start + BATCH; i++) {
      final long key = asker.hashOf(keys.id(i));
      final long nowNs = Keys.START_NS + ((System.nanoTime() - ORIGIN_NS) << CLOCK_SHIFT);
      count += filled.table.check(key, filled.limit, 1, nowNs, asker.out) ? 1 : 0;
    }
    return asker.tally(count);
  }
}
