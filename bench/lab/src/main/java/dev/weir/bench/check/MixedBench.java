package dev.weir.bench.check;

import static dev.weir.bench.check.Keys.BATCH;
import static dev.weir.bench.check.Keys.STEP_NS;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.bench.check.Keys.Identity;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A check where keys of one table have limits of several algorithms, so that neither the compiler
 * nor the branch predictor knows which one comes next.
 */
@State(Scope.Benchmark)
public class MixedBench extends CheckBench {
  private static final Algorithm[] ALGORITHMS = {
    Algorithm.GCRA, Algorithm.FIXED_WINDOW, Algorithm.SLIDING_COUNTER, Algorithm.TOKEN_BUCKET
  };

  private final Limit[] limits = new Limit[ALGORITHMS.length];
  private LimitTable table;

  @Setup
  public void fill(Keys keys) {
    for (int i = 0; i < limits.length; i++) {
      limits[i] = ALGORITHMS[i].roomy(keys);
    }
    table = new LimitTable(keys.slotCount());
    final Identity identity = new Identity(keys.hash);
    final Decision out = new Decision();
    for (int id = 0; id < keys.keys; id++) {
      table.check(identity.hash(id), limitOf(id), 1, Keys.START_NS, out);
    }
  }

  @TearDown
  public void free() {
    table.close();
  }

  private Limit limitOf(int id) {
    return limits[id & (ALGORITHMS.length - 1)];
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int allowed(Keys keys, Asker asker) {
    int count = 0;
    long nowNs = keys.batchNs();
    final int start = asker.nextBatch();
    for (int i = start; i < start + BATCH; i++) {
      final int id = keys.id(i);
      count += table.check(asker.hashOf(id), limitOf(id), 1, nowNs, asker.out) ? 1 : 0;
      nowNs += STEP_NS;
    }
    return asker.tally(count);
  }
}
