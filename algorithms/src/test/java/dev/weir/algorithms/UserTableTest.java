package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class UserTableTest {
  private static final int INTERLEAVINGS = 6_000;

  private final long seed = Long.getLong("weir.seed", 1);

  private static UserTable table(int slots) {
    return new UserTable(new UnsafeBuffer(new byte[slots * UserTable.SLOT_BYTES]));
  }

  /** Gives a user a plan that a record says. */
  private static boolean set(UserTable table, long hash, int plan) {
    final int slot = table.meet(hash);
    return table.set(slot, hash, table.word(slot, hash), plan, UserWord.RECORD, true);
  }

  private static long word(UserTable table, long hash) {
    final int slot = table.find(hash);
    return slot == UserTable.NONE ? 0 : table.word(slot, hash);
  }

  @Test
  void aMillionUsersTakeSixteenBytesInEachOfTwoMillionSlots() {
    try (UserTable table = new UserTable(1_000_000)) {
      assertEquals(1 << 21, table.slotCount());
    }
    assertEquals(16, UserTable.SLOT_BYTES);
  }

  @Test
  void refusesNumbersThatDoNotFit() {
    assertThrows(IllegalArgumentException.class, () -> new UserTable(0));
    assertThrows(IllegalArgumentException.class, () -> new UserTable(UserTable.MAX_USER_COUNT + 1));
    final UserTable table = table(4);
    final int slot = table.meet(1);
    final long word = table.word(slot, 1);
    for (int plan : new int[] {-1, 0, UserWord.MAX_PLAN + 1}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> table.set(slot, 1, word, plan, UserWord.RECORD, true));
    }
    assertTrue(table.set(slot, 1, word, UserWord.MAX_PLAN, UserWord.HEADER, true));
    assertEquals(UserWord.MAX_PLAN, UserWord.plan(table.word(slot, 1)));
  }

  @Test
  void aUserWhoIsMetFirstIsUnknown() {
    final UserTable table = table(4);
    assertEquals(UserTable.NONE, table.find(0));
    final int slot = table.meet(0);
    assertEquals(slot, table.find(0));
    assertEquals(slot, table.meet(0));
    assertEquals(0, UserWord.plan(table.word(slot, 0)));
    assertFalse(UserWord.isKnown(table.word(slot, 0)));
    assertEquals(0, table.word(slot, 1));
  }

  @Test
  void aWordHasItsFieldsWhereTheRulerSays() {
    final UserTable table = table(4);
    final int slot = table.meet(5);
    final int start = UserWord.generation(table.word(slot, 5));
    set(table, 5, 0xabcdef);
    assertEquals(
        0x15_00_abcdef_abcdefL | (long) start << 48, table.word(slot, 5), "known by the record");
    table.set(slot, 5, table.word(slot, 5), 7, UserWord.TOKEN, false);
    assertEquals(
        0x12_00_abcdef_000007L | (start + 1L & 0xff) << 48, table.word(slot, 5), "not known");
  }

  @Test
  void anotherPlanIsTheNextGenerationAndTheFirstIsNot() {
    final UserTable table = table(4);
    final int slot = table.meet(9);
    final int start = UserWord.generation(table.word(slot, 9));
    final int[][] steps = {{3, 3, 0}, {3, 3, 0}, {4, 3, 1}, {3, 4, 2}, {3, 4, 2}, {8, 3, 3}};
    for (int[] step : steps) {
      assertTrue(set(table, 9, step[0]));
      final long word = table.word(slot, 9);
      assertEquals(step[0], UserWord.plan(word));
      assertEquals(step[1], UserWord.planBefore(word));
      assertEquals(start + step[2] & 0xff, UserWord.generation(word));
    }
    for (int i = 0; i < 256; i++) {
      set(table, 9, 1 + i % 2);
    }
    assertEquals(start + 3 & 0xff, UserWord.generation(table.word(slot, 9)), "after the wrap");
  }

  @Test
  void whatHasChangedMeanwhileIsNotReplaced() {
    final UserTable table = table(4);
    final int slot = table.meet(9);
    final long first = table.word(slot, 9);
    assertTrue(table.set(slot, 9, first, 3, UserWord.RECORD, true));
    assertFalse(table.set(slot, 9, first, 4, UserWord.RECORD, true));
    assertFalse(table.set(slot, 10, table.word(slot, 9), 4, UserWord.RECORD, true));
    assertFalse(table.set(slot, 10, 0, 4, UserWord.RECORD, true));
    assertEquals(3, UserWord.plan(table.word(slot, 9)));
  }

  @Test
  void whoIsForgottenKeepsTheLastPlanUntilAsked() {
    final UserTable table = table(64);
    for (int hash = 0; hash < 20; hash++) {
      set(table, hash, 2);
    }
    final long before = word(table, 7);
    assertTrue(table.forget(7));
    assertFalse(UserWord.isKnown(word(table, 7)));
    assertEquals(2, UserWord.plan(word(table, 7)));
    assertEquals(UserWord.generation(before), UserWord.generation(word(table, 7)));
    assertTrue(UserWord.isKnown(word(table, 8)));
    assertFalse(table.forget(99));
    assertEquals(UserTable.NONE, table.find(99));
    table.forgetAll();
    for (int hash = 0; hash < 20; hash++) {
      assertFalse(UserWord.isKnown(word(table, hash)));
      assertEquals(2, UserWord.plan(word(table, hash)));
    }
  }

  @Test
  void aFullWindowForgetsWhoWasNotMetLongest() {
    final UserTable table = table(32);
    for (int hash = 0; hash < 32; hash++) {
      set(table, hash, 1 + hash);
    }
    assertEquals(0, table.forgottenCount());
    set(table, 100, 50); // nobody was idle: all have to be met again
    for (int busy = 0; busy < 20; busy++) {
      set(table, busy, 1 + busy);
    }
    final long before = table.forgottenCount();
    for (int newcomer = 1; newcomer <= 5; newcomer++) {
      table.meet(100 + newcomer);
    }
    assertEquals(before + 5, table.forgottenCount());
    for (int busy = 0; busy < 20; busy++) {
      assertEquals(1 + busy, UserWord.plan(word(table, busy)), "who makes requests is kept");
    }
  }

  /**
   * Whatever is asked: the last plan that was told, or unknown; and unknown only in full windows.
   */
  @Test
  void everyAnswerIsTheModelsOrUnknown() {
    final SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 200; round++) {
      final String where = "weir.seed=" + seed + ", round " + round;
      final int slots = 4 << random.nextInt(6);
      final int users = 1 + random.nextInt(2 * slots);
      final UserTable table = table(slots);
      final Map<Long, Integer> plans = new HashMap<>();
      for (int step = 0; step < 400; step++) {
        final long hash = random.nextInt(users) * 0x9E37_79B9_7F4A_7C15L;
        if (random.nextInt(4) == 0) {
          final int plan = 1 + random.nextInt(5);
          assertTrue(set(table, hash, plan), where);
          plans.put(hash, plan);
        } else {
          final long word = word(table, hash);
          if (word == 0 || UserWord.plan(word) == 0) {
            assertTrue(!plans.containsKey(hash) || table.forgottenCount() > 0, where);
            table.meet(hash);
          } else {
            assertEquals(plans.get(hash), UserWord.plan(word), where);
          }
        }
      }
      assertTrue(users > slots || slots > 32 || table.forgottenCount() == 0, where);
    }
  }

  /** A table whose users are met by several threads at once: one runs at a time. */
  private static final class Shared {
    final Interleaver.Memory memory;
    final UserTable table;

    Shared(int slots) {
      memory = new Interleaver.Memory(slots * UserTable.SLOT_BYTES);
      table = new UserTable(memory);
    }

    void run(long seed, Runnable... tasks) {
      final Interleaver interleaver = new Interleaver(seed, tasks);
      memory.interleaver(interleaver);
      interleaver.run();
      memory.interleaver(null);
    }

    /** The users who have a slot; none has two. */
    Set<Long> users(String where) {
      final Set<Long> users = new HashSet<>();
      for (int at = 0; at < memory.capacity(); at += UserTable.SLOT_BYTES) {
        if (UserWord.isLive(memory.getLong(at + 8))) {
          assertTrue(users.add(memory.getLong(at)), where);
        }
      }
      return users;
    }
  }

  @Test
  void whoeverMeetsAUserAtOnceMeetsOneSlot() {
    for (int schedule = 0; schedule < INTERLEAVINGS; schedule++) {
      final String where = "weir.seed=" + (seed + schedule);
      final SplittableRandom random = new SplittableRandom(seed + schedule);
      final Shared shared = new Shared(4);
      final Runnable[] tasks = new Runnable[3];
      for (int i = 0; i < tasks.length; i++) {
        final int[] hashes = random.ints(3, 0, 6).toArray();
        tasks[i] =
            () -> {
              for (int hash : hashes) {
                meet(shared.table, hash, where);
              }
            };
      }
      shared.run(seed + schedule, tasks);
      shared.users(where);
    }
  }

  /** Meets a user and says the plan, which is always the same one. */
  private static void meet(UserTable table, int hash, String where) {
    final int slot = table.meet(hash);
    final long word = slot == UserTable.NONE ? 0 : table.word(slot, hash);
    if (word != 0) {
      final int plan = UserWord.plan(word);
      assertTrue(plan == 0 || plan == 10 + hash, where);
      table.set(slot, hash, word, 10 + hash, UserWord.RECORD, true);
      final long after = word(table, hash);
      assertTrue(
          after == 0 || UserWord.plan(after) == 0 || UserWord.plan(after) == 10 + hash, where);
    }
  }
}
