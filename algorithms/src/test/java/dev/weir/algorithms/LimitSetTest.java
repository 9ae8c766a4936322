package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LimitSetTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long HOUR = 3_600 * SECOND;
  private static final long NOW = 10 * HOUR;
  private static final long KEY = 0x1234_5678_9abc_def0L;

  private final Limit perSecond = Limit.gcra(3, SECOND, 3);
  private final Limit perHour = Limit.slidingLog(5, HOUR);
  private final LimitSet both = new LimitSet();
  private final LimitTable table = new LimitTable(4096, 8);
  private final Decision out = new Decision();

  @AfterEach
  void free() {
    table.close();
  }

  private LimitSet both(LimitTable in, long cost) {
    return both.clear().add(in, KEY, perSecond, cost).add(in, ~KEY, perHour, cost);
  }

  @Test
  void chargesAllAndTellsOfTheOneClosestToExhaustion() {
    assertTrue(both(table, 1).check(NOW, out));
    assertEquals(0, both.chosen());
    assertEquals(2, out.remaining());
    assertEquals(3, out.limit());
    table.peek(~KEY, perHour, 1, NOW, out);
    assertEquals(4, out.remaining());
    assertTrue(both(table, 2).check(NOW + SECOND, out));
    assertTrue(both.check(NOW + 2 * SECOND, out));
    assertEquals(1, both.chosen());
    assertEquals(0, out.remaining());
  }

  @Test
  void chargesEachACostOfItsOwnInATableOfItsOwn() {
    try (LimitTable words = new LimitTable(64)) {
      both.clear().add(words, KEY, perSecond, 3).add(table, KEY, perHour, 1);
      assertTrue(both.check(NOW, out));
      assertFalse(both.check(NOW, out));
      table.peek(KEY, perHour, 1, NOW, out);
      assertEquals(4, out.remaining());
      both.reset(NOW);
      assertTrue(both.peek(NOW, out));
      assertEquals(3, out.remaining());
    }
  }

  @Test
  void chargesNoneWhenOneRefusesAndChangesNoByte() {
    final UnsafeBuffer slots = new UnsafeBuffer(new byte[64 * SlotLayout.SLOT_BYTES]);
    final UnsafeBuffer cells = new UnsafeBuffer(new byte[64 * 8 * Long.BYTES]);
    final LimitTable onHeap =
        new LimitTable(
            TableMemory.of(
                slots, cells, new UnsafeBuffer(new byte[64]), new UnsafeBuffer(new byte[256])));
    assertTrue(both(onHeap, 3).check(NOW, out));
    final byte[] slotsBefore = slots.byteArray().clone();
    final byte[] cellsBefore = cells.byteArray().clone();
    assertFalse(both(onHeap, 1).check(NOW, out));
    assertEquals(0, both.chosen());
    assertFalse(both(onHeap, 3).check(NOW + 1, out));
    assertEquals(1, both.chosen());
    assertArrayEquals(slotsBefore, slots.byteArray());
    assertArrayEquals(cellsBefore, cells.byteArray());
  }

  @Test
  void theLongestWaitIsTheLeastAfterWhichAllPass() {
    assertTrue(both(table, 3).check(NOW, out));
    assertFalse(both.check(NOW, out));
    assertEquals(HOUR, out.retryAfterNs());
    assertFalse(both.check(NOW + HOUR - 1, out));
    assertTrue(both.check(NOW + HOUR, out));
    assertFalse(both(table, 6).check(NOW + HOUR, out));
    assertEquals(Decision.NEVER, out.retryAfterNs());
  }

  @Test
  void aWaitOfOneLimitIsTheWaitOfAll() {
    final Limit queue = Limit.leakyBucketQueue(10, 1, SECOND, HOUR);
    both.clear().add(table, KEY, queue, 1).add(table, ~KEY, Limit.fixedWindow(4, HOUR, 0), 1);
    assertTrue(both.check(NOW, out));
    assertEquals(0, out.waitNs());
    assertTrue(both.peek(NOW, out));
    assertEquals(1, both.chosen());
    assertEquals(SECOND, out.waitNs());
    assertTrue(both.check(NOW, out));
    assertEquals(1, both.chosen());
    assertEquals(SECOND, out.waitNs());
  }

  @Test
  void threadsThatRaceForTheLastUnitsLeaveNothingChargedThatDidNotPass()
      throws InterruptedException {
    final Limit first = Limit.fixedWindow(1_000_000, HOUR, 0);
    final Limit last = Limit.slidingCounter(50, HOUR);
    for (int round = 0; round < 200; round++) {
      final long key = SipHash.mix(KEY + round);
      final AtomicInteger passed = new AtomicInteger();
      final CountDownLatch start = new CountDownLatch(1);
      final Thread[] threads = new Thread[8];
      for (int i = 0; i < threads.length; i++) {
        final LimitSet own = new LimitSet().add(table, key, first, 1).add(table, key + 1, last, 1);
        threads[i] = new Thread(() -> pass(own, start, passed));
        threads[i].start();
      }
      start.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(50, passed.get());
      table.peek(key, first, 1, NOW, out);
      assertEquals(50, out.current(), "charged without passing");
    }
  }

  /** Memory whose word changes are each followed by a call of another thread. */
  private static final class Raced extends UnsafeBuffer {
    private Runnable other = () -> {};

    Raced(int bytes) {
      super(new byte[bytes]);
    }

    @Override
    public boolean compareAndSetLong(int index, long expected, long update) {
      final boolean changed = super.compareAndSetLong(index, expected, update);
      other.run();
      return changed;
    }
  }

  @Test
  void aSetThatOthersAreFasterAtTimeAndAgainIsRefusedAsContended() {
    final Limit one = Limit.gcra(1, HOUR, 1);
    final Raced memory = new Raced(64 * SlotLayout.SLOT_BYTES);
    final UnsafeBuffer none = new UnsafeBuffer(0, 0);
    final LimitTable raced =
        new LimitTable(
            TableMemory.of(
                memory, none, new UnsafeBuffer(new byte[4 * SlotLayout.SLOT_BYTES]), none));
    final Decision others = new Decision();
    assertTrue(raced.check(KEY, perSecond, 1, NOW, others));
    // Whoever charges the first budget finds the second one taken, which is free again after.
    memory.other =
        () -> {
          if (!table.check(~KEY, one, 1, NOW, others)) {
            table.reset(~KEY, NOW);
          }
        };
    both.clear().add(raced, KEY, perSecond, 1).add(table, ~KEY, one, 1);
    assertFalse(both.check(NOW, out));
    assertFalse(out.allowed());
    assertTrue(out.contended());
    assertEquals(1, out.retryAfterNs());
    assertEquals(1, both.chosen());
    assertEquals(1, out.limit());
    assertEquals(1, table.contendedCount());
    assertTrue(raced.peek(KEY, perSecond, 1, NOW, out));
    assertEquals(2, out.remaining());
  }

  private static void pass(LimitSet own, CountDownLatch start, AtomicInteger passed) {
    final Decision mine = new Decision();
    try {
      start.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    for (int i = 0; i < 30; i++) {
      if (own.check(NOW, mine)) {
        passed.incrementAndGet();
      }
    }
  }
}
