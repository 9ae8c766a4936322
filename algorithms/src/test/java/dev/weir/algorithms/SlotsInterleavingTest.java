package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Thousands of interleavings of checks that insert, reclaim, kill and reset on one crowded window.
 * Whatever the order, a key lives in one slot at most, and the slot owes exactly what was let pass.
 */
class SlotsInterleavingTest {
  private static final int SCHEDULES = 15_000;
  private static final int SLOTS = 8;
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;
  private static final long PER_UNIT = 1_000 * SECOND;
  private static final Limit LIMIT = Limit.gcra(1, PER_UNIT, 3);

  /** Between the clocks of threads, so that what one kills another may take. */
  private static final long LAG = 3 * SECOND;

  /** One home slot for all. */
  private static final long[] KEYS = {8, 16, 24};

  @Test
  void aKeyLivesOnceAndOwesWhatPassed() {
    final long seed = Long.getLong("weir.seed", 1);
    for (int schedule = 0; schedule < SCHEDULES; schedule++) {
      final long scheduleSeed = seed + schedule;
      explore(scheduleSeed, "weir.seed=" + scheduleSeed);
    }
  }

  private static void explore(long seed, String where) {
    final SplittableRandom random = new SplittableRandom(seed);
    final Interleaver.Memory memory = new Interleaver.Memory(SLOTS * SlotLayout.SLOT_BYTES);
    final LimitTable table = memory.table();
    prepare(memory, random);
    final int[][] passed = new int[3][KEYS.length];
    final Runnable[] tasks = new Runnable[2 + random.nextInt(2)];
    for (int i = 0; i < tasks.length; i++) {
      final int[] mine = passed[i];
      final int[] plan = random.ints(1 + random.nextInt(3), 0, KEYS.length).toArray();
      final long nowNs = NOW + (random.nextBoolean() ? LAG : 0);
      tasks[i] =
          () -> {
            final Decision out = new Decision();
            for (int key : plan) {
              if (table.check(KEYS[key], LIMIT, 1, nowNs, out)) {
                mine[key]++;
              }
              assertTrue(!out.contended() && !out.shared(), where);
            }
          };
    }
    final Interleaver interleaver = new Interleaver(seed, tasks);
    memory.interleaver(interleaver);
    interleaver.run();
    memory.interleaver(null);
    for (int key = 0; key < KEYS.length; key++) {
      final int total = passed[0][key] + passed[1][key] + passed[2][key];
      assertTrue(total <= 3, where + ": " + total + " passed");
      long owedNs = 0;
      int lives = 0;
      for (int slot = 0; slot < SLOTS; slot++) {
        final int at = slot * SlotLayout.SLOT_BYTES;
        final long state = memory.getLong(at + SlotLayout.STATE_OFFSET);
        if (memory.getLong(at + SlotLayout.KEY_OFFSET) == KEYS[key] && SlotLayout.isLive(state)) {
          lives++;
          owedNs += Math.max(state - NOW, 0);
        }
      }
      assertTrue(lives <= 1, where + ": lives " + lives + " times");
      // The first charge counts from the clock of the thread that made it.
      final long lagNs = owedNs - total * PER_UNIT;
      assertTrue(lagNs == 0 || (lagNs == LAG && total > 0), where + ": owes " + owedNs);
    }
  }

  /** Slots that are empty, expired (some of them the keys' own, in any place), resting or free. */
  private static void prepare(Interleaver.Memory memory, SplittableRandom random) {
    final int used = random.nextInt(5);
    int owned = 0;
    for (int position = 0; position < used; position++) {
      final int at = ((8 + position) & (SLOTS - 1)) * SlotLayout.SLOT_BYTES;
      final int key = random.nextInt(KEYS.length);
      final boolean taken = (owned & (1 << key)) != 0;
      final long state =
          switch (taken ? random.nextInt(2) : random.nextInt(4)) {
            case 0 -> SlotLayout.tombstone(1);
            case 1 -> SlotLayout.tombstone(NOW);
            default -> random.nextLong(NOW / 2) + 1;
          };
      if (SlotLayout.isLive(state)) {
        owned |= 1 << key;
      }
      memory.putLong(at + SlotLayout.KEY_OFFSET, KEYS[key]);
      memory.putLong(at + SlotLayout.STATE_OFFSET, state);
    }
  }
}
