package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Thousands of interleavings of threads that go over to another limit, and to a third one, in any
 * order. Each knows, from some request on, the newest limit; until then it checks an older key, and
 * goes on to a newer one when it is told that its key has been moved. Whatever the order, no more
 * pass than the limit, and what has passed is owed under the last key.
 */
class CarryOverInterleavingTest {
  private static final int SCHEDULES = 6_000;
  private static final int SLOTS = 32;
  private static final int CELLS = 8;
  private static final int CAPACITY = 4;
  private static final int VERSIONS = 3;
  private static final long HOUR = 3_600_000_000_000L;
  private static final long NOW = 1_000 * HOUR;

  private enum Change {
    PACED(Limit.gcra(4, HOUR, 4), Limit.gcra(4, 2 * HOUR, 4), Limit.gcra(4, HOUR, 4)),
    KINDS(Limit.fixedWindow(4, HOUR, 0), Limit.gcra(4, HOUR, 4), Limit.slidingCounter(4, HOUR)),
    TO_RINGS(Limit.gcra(4, HOUR, 4), Limit.slidingLog(4, HOUR), Limit.bucketRing(4, HOUR, 4)),
    FROM_RINGS(Limit.slidingLog(4, HOUR), Limit.gcra(4, HOUR, 4), Limit.slidingLog(4, HOUR));

    final Limit[] limits;

    Change(Limit... limits) {
      this.limits = limits;
    }
  }

  /** The two tables, as a sidecar has them. */
  private static final class Tables {
    final Interleaver.Memory words = new Interleaver.Memory(SLOTS * SlotLayout.SLOT_BYTES);
    final Interleaver.Memory rings = new Interleaver.Memory(SLOTS * SlotLayout.SLOT_BYTES);
    final Interleaver.Memory cells = new Interleaver.Memory(SLOTS * CELLS * Long.BYTES);
    final LimitTable wordTable = words.table();
    final LimitTable ringTable = rings.table(cells);

    LimitTable of(Limit limit) {
      return limit.cells() == 0 ? wordTable : ringTable;
    }

    void interleaver(Interleaver interleaver) {
      words.interleaver(interleaver);
      rings.interleaver(interleaver);
      cells.interleaver(interleaver);
    }
  }

  /** A check by a caller that knows of a version and those before; 1 if it passes. */
  private static int check(Tables tables, Limit[] limits, int version, Decision out) {
    final Limit limit = limits[version];
    final LimitTable table = tables.of(limit);
    for (int past = version - 1; past >= 0; past--) {
      if (!tables
          .of(limits[past])
          .carryOver(key(past), limits[past], table, key(version), limit, false, NOW, out)) {
        return out.moved() ? check(tables, limits, version + 1, out) : 0;
      }
    }
    final boolean passes = table.check(key(version), limit, 1, NOW, out);
    return out.moved() ? check(tables, limits, version + 1, out) : passes ? 1 : 0;
  }

  private static long key(int version) {
    return 7L << version;
  }

  @ParameterizedTest
  @EnumSource(Change.class)
  void noOrderOfSwapsGivesAFreshBudget(Change change) {
    final long seed = Long.getLong("weir.seed", 1);
    for (int schedule = 0; schedule < SCHEDULES; schedule++) {
      explore(change.limits, seed + schedule, "weir.seed=" + (seed + schedule));
    }
  }

  private static void explore(Limit[] limits, long seed, String where) {
    final SplittableRandom random = new SplittableRandom(seed);
    final Tables tables = new Tables();
    final Decision out = new Decision();
    int before = 0;
    for (int i = random.nextInt(CAPACITY + 1); i > 0; i--) {
      before += check(tables, limits, 0, out);
    }
    final int[] passed = new int[3];
    final Runnable[] tasks = new Runnable[2 + random.nextInt(2)];
    for (int i = 0; i < tasks.length; i++) {
      final int mine = i;
      final int[] versions = random.ints(1 + random.nextInt(4), 0, VERSIONS).sorted().toArray();
      tasks[i] =
          () -> {
            final Decision mineOut = new Decision();
            for (int version : versions) {
              passed[mine] += check(tables, limits, version, mineOut);
            }
          };
    }
    final Interleaver interleaver = new Interleaver(seed, tasks);
    tables.interleaver(interleaver);
    interleaver.run();
    tables.interleaver(null);
    final int total = before + passed[0] + passed[1] + passed[2];
    assertTrue(total <= CAPACITY, where + ": " + total + " passed");
    int later = 0;
    for (int i = 0; i < 2 * CAPACITY; i++) {
      later += check(tables, limits, VERSIONS - 1, out);
    }
    assertEquals(CAPACITY, total + later, where);
  }
}
