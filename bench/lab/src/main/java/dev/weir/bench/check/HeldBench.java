package dev.weir.bench.check;

import static dev.weir.bench.check.Keys.BATCH;
import static dev.weir.bench.check.Keys.STEP_NS;

import dev.weir.algorithms.HeldBudget;
import dev.weir.algorithms.LimitTable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A request that holds units and is settled, beside a check of the same limit. */
public class HeldBench extends CheckBench {
  private static final int UNITS = 2;

  /** The table in which units are held, with a word for each key. */
  @State(Scope.Benchmark)
  public static class Words {
    private LimitTable table;

    @Setup
    public void allocate(Keys keys) {
      table = new LimitTable(keys.slotCount());
    }

    @TearDown
    public void free() {
      table.close();
    }
  }

  /** The row that the other is compared with. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int check(Keys keys, Asker asker, Filled.Roomy filled) {
    int count = 0;
    long nowNs = keys.batchNs();
    final int start = asker.nextBatch();
    for (int i = start; i < start + BATCH; i++) {
      final long key = asker.hashOf(keys.id(i));
      count += filled.table.check(key, filled.limit, 1, nowNs, asker.out) ? 1 : 0;
      nowNs += STEP_NS;
    }
    return asker.tally(count);
  }

  /** Two units are held, and one is charged. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int holdAndSettle(Keys keys, Asker asker, Filled.Roomy filled, Words words) {
    int count = 0;
    long nowNs = keys.batchNs();
    final int start = asker.nextBatch();
    for (int i = start; i < start + BATCH; i++) {
      final long key = asker.hashOf(keys.id(i));
      if (HeldBudget.hold(
          filled.table, key, filled.limit, words.table, key, UNITS, nowNs, asker.out)) {
        HeldBudget.settle(
            filled.table, key, filled.limit, 1, words.table, key, UNITS, nowNs, asker.out);
        count++;
      }
      nowNs += STEP_NS;
    }
    return asker.tally(count);
  }
}
