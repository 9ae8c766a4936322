package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Thousands of interleavings of threads that hold units and end that. Whatever the order, what is
 * used and what is held never exceed the limit, every cost is charged, and nothing stays held.
 */
class HeldInterleavingTest {
  private static final int SCHEDULES = 12_000;
  private static final int SLOTS = 8;
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;
  private static final int CAPACITY = 5;
  private static final Limit LIMIT = Limit.fixedWindow(CAPACITY, 10_000 * SECOND, 0);
  private static final long KEY = 16;
  private static final long HELD = 32;

  private final long seed = Long.getLong("weir.seed", 1);

  /** Memory of a table, and what its users have been granted: one thread runs at a time. */
  private static final class Shared {
    final Interleaver.Memory memory = new Interleaver.Memory(SLOTS * SlotLayout.SLOT_BYTES);
    final LimitTable table = memory.table();
    final int[] granted = new int[4];
    int charged;

    void run(long seed, Runnable... tasks) {
      final Interleaver interleaver = new Interleaver(seed, tasks);
      memory.interleaver(interleaver);
      interleaver.run();
      memory.interleaver(null);
    }

    long current(long key, Limit limit, long nowNs) {
      final Decision out = new Decision();
      table.peek(key, limit, 1, nowNs, out);
      return out.current();
    }
  }

  @Test
  void usedAndHeldNeverExceedTheLimit() {
    for (int schedule = 0; schedule < SCHEDULES; schedule++) {
      exchanges(seed + schedule, "weir.seed=" + (seed + schedule));
    }
  }

  private static void exchanges(long seed, String where) {
    final SplittableRandom random = new SplittableRandom(seed);
    final Shared shared = new Shared();
    final Runnable[] tasks = new Runnable[2 + random.nextInt(2)];
    for (int i = 0; i < tasks.length; i++) {
      final int[] plan = random.ints(1 + random.nextInt(3), 0, 16).toArray();
      tasks[i] =
          () -> {
            final Decision out = new Decision();
            for (int step : plan) {
              exchange(shared, 1 + (step & 3), step >> 2, out, where);
            }
          };
    }
    shared.run(seed, tasks);
    assertEquals(shared.charged, shared.current(KEY, LIMIT, NOW), where);
    assertEquals(0, shared.current(HELD, Limit.heldUnits(1), NOW), where);
  }

  private static void exchange(Shared shared, int units, int least, Decision out, String where) {
    final LimitTable table = shared.table;
    if (HeldBudget.hold(table, KEY, LIMIT, table, HELD, units, NOW, out)) {
      shared.granted[0] += units;
      assertTrue(shared.granted[0] + shared.charged <= CAPACITY, where);
      final int cost = Math.min(units, least);
      // The units may be free before settle returns, so they are taken off here.
      shared.granted[0] -= units;
      shared.charged += cost;
      assertTrue(HeldBudget.settle(table, KEY, LIMIT, cost, table, HELD, units, NOW, out), where);
    }
    assertTrue(!out.noRoom() && !out.contended(), where);
  }

  /**
   * Keys that get a slot one after the other, and come to hold as many units in it: a thread that
   * stopped with the word of the one before charges none of them.
   */
  @Test
  void noUnitStaysWithAKeyThatGotTheSlotMeanwhile() {
    for (int schedule = 0; schedule < 2 * SCHEDULES; schedule++) {
      slots(seed + schedule, "weir.seed=" + (seed + schedule));
    }
  }

  /** Stops a release behind its CAS, until another key has the slot and holds as many units. */
  @Test
  void aReleaseThatIsStoppedLeavesTheNextKeyOfItsSlotAlone() {
    final Limit two = Limit.heldUnits(2);
    final Decision out = new Decision();
    final LimitTable[] table = new LimitTable[1];
    final Runnable meanwhile =
        () -> {
          table[0].release(KEY, 1, NOW);
          assertTrue(table[0].check(HELD, two, 1, NOW + 3 * SECOND, out));
        };
    final Interleaver.Memory memory =
        new Interleaver.Memory(SLOTS * SlotLayout.SLOT_BYTES) {
          private boolean isArmed = true;

          @Override
          public boolean compareAndSetLong(int index, long expected, long update) {
            final boolean isSet = super.compareAndSetLong(index, expected, update);
            if (isArmed && HeldUnits.units(expected) == 2) {
              isArmed = false;
              meanwhile.run();
            }
            return isSet;
          }
        };
    table[0] = memory.table();
    assertTrue(table[0].check(KEY, two, 1, NOW, out));
    assertTrue(table[0].check(KEY, two, 1, NOW, out));
    table[0].release(KEY, 1, NOW);
    table[0].release(HELD, 1, NOW + 3 * SECOND);
    table[0].peek(HELD, two, 1, NOW + 3 * SECOND, out);
    assertEquals(0, out.current());
  }

  private static void slots(long seed, String where) {
    final SplittableRandom random = new SplittableRandom(seed);
    final Shared shared = new Shared();
    final Limit two = Limit.heldUnits(2);
    final Runnable[] tasks = new Runnable[3];
    for (int i = 0; i < tasks.length; i++) {
      final int[] plan = random.ints(2 + random.nextInt(3), 0, 2 * shared.granted.length).toArray();
      final long laterNs = NOW + i * 3 * SECOND;
      tasks[i] =
          () -> {
            final Decision out = new Decision();
            for (int step : plan) {
              final int key = step >> 1;
              if (shared.table.check(key * SLOTS, two, 1, laterNs, out)) {
                assertTrue(++shared.granted[key] <= 2, where);
                shared.granted[key]--;
                shared.table.release(key * SLOTS, 1, laterNs);
              }
            }
          };
    }
    shared.run(seed, tasks);
    for (int key = 0; key < shared.granted.length; key++) {
      assertEquals(0, shared.current(key * SLOTS, two, NOW), where);
    }
  }
}
