package dev.weir.bench.stress;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A table for one state of one test. jcstress makes states by the million, so tables are taken from
 * a pool and given back by the arbiter; each time the clock has moved on and the keys are new, so
 * that what an earlier state left is expired: new keys meet empty slots at first, later ones to be
 * reclaimed.
 */
final class StressTable {
  static final long SECOND = 1_000_000_000L;

  private static final ConcurrentLinkedQueue<StressTable> POOL = new ConcurrentLinkedQueue<>();

  final LimitTable table;
  private long epoch;

  private StressTable(int slotCount, int cellsPerKey) {
    table = new LimitTable(slotCount, cellsPerKey);
  }

  /** A table of the same size as all others of this test, as each test has its own process. */
  static StressTable take(int slotCount, int cellsPerKey) {
    final StressTable pooled = POOL.poll();
    final StressTable taken = pooled == null ? new StressTable(slotCount, cellsPerKey) : pooled;
    taken.epoch++;
    return taken;
  }

  void giveBack() {
    POOL.add(this);
  }

  long nowNs() {
    return epoch * 100 * SECOND;
  }

  /** Keys of one home slot, never used before. */
  long key(int number) {
    return (epoch << 16) | ((long) number << 8) | 3;
  }

  boolean check(int key, Limit limit, Decision out) {
    return check(key, limit, 1, nowNs(), out);
  }

  boolean check(int key, Limit limit, long cost, long atNs, Decision out) {
    return table.check(key(key), limit, cost, atNs, out);
  }

  /** Carries what the first key has consumed over to the second, and checks that. */
  boolean carryAndCheck(Limit from, Limit to, boolean isLast, Decision out) {
    return table.carryOver(key(0), from, table, key(1), to, isLast, nowNs(), out)
        && check(1, to, out);
  }

  /** Units that count at some time. */
  int current(int key, Limit limit, long atNs) {
    final Decision out = new Decision();
    table.peek(key(key), limit, 1, atNs, out);
    return (int) out.current();
  }

  /** How many more units pass one by one, up to 9. */
  int passes(int key, Limit limit) {
    final Decision out = new Decision();
    int passed = 0;
    while (passed < 9 && check(key, limit, out)) {
      passed++;
    }
    return passed;
  }
}
