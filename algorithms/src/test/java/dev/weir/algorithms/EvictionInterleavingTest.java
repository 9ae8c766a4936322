package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Thousands of interleavings of checks on a full window: of keys that owe one request and may be
 * evicted meanwhile, of newcomers that evict them, and of a key that owes two and stays. All words
 * of one count are the same. Whatever the order, what is forgotten is one request per eviction.
 */
class EvictionInterleavingTest {
  private static final int SCHEDULES = 5_000;
  private static final int SLOTS = 4;
  private static final int CAPACITY = 3;
  private static final long HOUR = 3_600_000_000_000L;
  private static final long NOW = 1_000 * HOUR;

  /** The first three live at the start; of them the last one owes two. All have one home slot. */
  private static final int KEYS = 6;

  private static final int FAITHFUL = 2;

  private enum Kind {
    PACED(Limit.gcra(CAPACITY, HOUR, CAPACITY)),
    WINDOW(Limit.fixedWindow(CAPACITY, HOUR, 0)),
    COUNTER(Limit.slidingCounter(CAPACITY, HOUR));

    final Limit limit;

    Kind(Limit limit) {
      this.limit = limit;
    }
  }

  private static long key(int index) {
    return 4L + 4 * index;
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void oneRequestPerEvictionIsForgotten(Kind kind) {
    final long seed = Long.getLong("weir.seed", 1);
    long evicted = 0;
    for (int schedule = 0; schedule < SCHEDULES; schedule++) {
      evicted += explore(kind.limit, seed + schedule, "weir.seed=" + (seed + schedule));
    }
    assertTrue(evicted > SCHEDULES, evicted + " evictions");
  }

  private static long explore(Limit limit, long seed, String where) {
    final SplittableRandom random = new SplittableRandom(seed);
    final Interleaver.Memory slots = new Interleaver.Memory(SLOTS * SlotLayout.SLOT_BYTES);
    final LimitTable table = slots.table();
    final Decision out = new Decision();
    for (int i = 0; i < SLOTS; i++) {
      table.check(key(i), limit, 1, NOW, out);
    }
    table.check(key(FAITHFUL), limit, 1, NOW, out);
    final int[][] passed = new int[3][KEYS];
    final Runnable[] tasks = new Runnable[2 + random.nextInt(2)];
    for (int i = 0; i < tasks.length; i++) {
      final int[] mine = passed[i];
      final int[] plan = random.ints(1 + random.nextInt(3), 0, KEYS).toArray();
      tasks[i] =
          () -> {
            final Decision mineOut = new Decision();
            for (int index : plan) {
              if (table.check(key(index), limit, 1, NOW, mineOut) && !mineOut.shared()) {
                mine[index]++;
              }
              assertTrue(!mineOut.contended(), where);
            }
          };
    }
    final Interleaver interleaver = new Interleaver(seed, tasks);
    slots.interleaver(interleaver);
    interleaver.run();
    slots.interleaver(null);
    final long evicted = table.evictedCount();
    long forgotten = 0;
    for (int index = 0; index < KEYS; index++) {
      final int before = index == FAITHFUL ? 2 : index < SLOTS ? 1 : 0;
      final int own = passed[0][index] + passed[1][index] + passed[2][index];
      final long owed = owed(slots, table, limit, index, where);
      forgotten += Math.max(before + own - owed, 0);
      assertTrue(index != FAITHFUL || before + own <= CAPACITY, where + ": " + own + " passed");
    }
    assertTrue(forgotten <= evicted, where + ": " + forgotten + " forgotten by " + evicted);
    return evicted;
  }

  private static long owed(
      Interleaver.Memory slots, LimitTable table, Limit limit, int index, String where) {
    int lives = 0;
    for (int slot = 0; slot < SLOTS; slot++) {
      final int at = slot * SlotLayout.SLOT_BYTES;
      final boolean isLive = SlotLayout.isLive(slots.getLong(at + SlotLayout.STATE_OFFSET));
      lives += isLive && slots.getLong(at + SlotLayout.KEY_OFFSET) == key(index) ? 1 : 0;
    }
    assertTrue(lives <= 1, where + ": lives " + lives + " times");
    if (lives == 0) {
      return 0;
    }
    final Decision out = new Decision();
    table.peek(key(index), limit, 1, NOW, out);
    assertTrue(index != FAITHFUL || out.current() >= 2, where);
    return out.current();
  }
}
