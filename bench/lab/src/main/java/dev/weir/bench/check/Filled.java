package dev.weir.bench.check;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.bench.check.Keys.Identity;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A table in which every key has its slot. */
@State(Scope.Benchmark)
public abstract class Filled {
  @Param Algorithm algorithm;

  Limit limit;
  LimitTable table;

  abstract Limit limit(Keys keys);

  /** The charge of each key before anything is measured. */
  abstract long spent();

  @Setup
  public void fill(Keys keys) {
    limit = limit(keys);
    table = new LimitTable(keys.slotCount(), limit.cells());
    final Decision out = new Decision();
    final Identity identity = new Identity(keys.hash);
    for (int id = 0; id < keys.keys; id++) {
      table.check(identity.hash(id), limit, spent(), Keys.START_NS, out);
    }
  }

  @TearDown
  public void free() {
    table.close();
  }

  /** Nothing is refused. */
  public static class Roomy extends Filled {
    @Override
    Limit limit(Keys keys) {
      return algorithm.roomy(keys);
    }

    @Override
    long spent() {
      return 1;
    }
  }

  /** Everything is: all was spent at once, and comes back in 100 days. */
  public static class Spent extends Filled {
    private static final long LONG_NS = 100 * 86_400_000_000_000L;
    private static final int UNITS = 8;

    @Override
    Limit limit(Keys keys) {
      return algorithm.of(UNITS, LONG_NS);
    }

    @Override
    long spent() {
      return UNITS;
    }
  }
}
