package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
  private final LimitSet both = LimitSet.of(perSecond, perHour);
  private final LimitTable table = new LimitTable(4096, 8);
  private final Decision out = new Decision();

  @AfterEach
  void free() {
    table.close();
  }

  @Test
  void eachLimitHasItsOwnKeyAndTheFirstOneTheIdentitys() {
    assertEquals(KEY, both.key(KEY, 0));
    assertNotEquals(KEY, both.key(KEY, 1));
    assertNotEquals(both.key(KEY, 1), both.key(KEY + 1, 1));
    assertEquals(2, both.size());
    assertEquals(perHour, both.limit(1));
  }

  @Test
  void chargesAllAndTellsOfTheOneClosestToExhaustion() {
    assertTrue(table.checkAll(KEY, both, 1, NOW, out));
    assertEquals(0, out.index());
    assertEquals(2, out.remaining());
    assertEquals(3, out.limit());
    table.peek(both.key(KEY, 1), perHour, 1, NOW, out);
    assertEquals(4, out.remaining());
    assertTrue(table.checkAll(KEY, both, 2, NOW + SECOND, out));
    assertTrue(table.checkAll(KEY, both, 2, NOW + 2 * SECOND, out));
    assertEquals(1, out.index());
    assertEquals(0, out.remaining());
  }

  @Test
  void chargesNoneWhenOneRefusesAndChangesNoByte() {
    final UnsafeBuffer slots = new UnsafeBuffer(new byte[64 * SlotLayout.SLOT_BYTES]);
    final UnsafeBuffer cells = new UnsafeBuffer(new byte[64 * 8 * Long.BYTES]);
    final LimitTable onHeap =
        new LimitTable(
            TableMemory.of(
                slots, cells, new UnsafeBuffer(new byte[64]), new UnsafeBuffer(new byte[256])));
    assertTrue(onHeap.checkAll(KEY, both, 3, NOW, out));
    final byte[] slotsBefore = slots.byteArray().clone();
    final byte[] cellsBefore = cells.byteArray().clone();
    assertFalse(onHeap.checkAll(KEY, both, 1, NOW, out));
    assertEquals(0, out.index());
    assertFalse(onHeap.checkAll(KEY, both, 3, NOW + 1, out));
    assertEquals(1, out.index());
    assertArrayEquals(slotsBefore, slots.byteArray());
    assertArrayEquals(cellsBefore, cells.byteArray());
  }

  @Test
  void theLongestWaitIsTheLeastAfterWhichAllPass() {
    assertTrue(table.checkAll(KEY, both, 3, NOW, out));
    assertFalse(table.checkAll(KEY, both, 3, NOW, out));
    assertEquals(HOUR, out.retryAfterNs());
    assertFalse(table.checkAll(KEY, both, 3, NOW + HOUR - 1, out));
    assertTrue(table.checkAll(KEY, both, 3, NOW + HOUR, out));
    assertFalse(table.checkAll(KEY, both, 6, NOW + HOUR, out));
    assertEquals(Decision.NEVER, out.retryAfterNs());
  }

  @Test
  void aWaitOfOneLimitIsTheWaitOfAll() {
    final Limit queue = Limit.leakyBucketQueue(10, 1, SECOND, HOUR);
    final LimitSet set = LimitSet.of(queue, Limit.fixedWindow(4, HOUR, 0));
    assertTrue(table.checkAll(KEY, set, 1, NOW, out));
    assertEquals(0, out.waitNs());
    assertTrue(table.checkAll(KEY, set, 1, NOW, out));
    assertEquals(1, out.index());
    assertEquals(SECOND, out.waitNs());
  }

  @Test
  void threadsThatRaceForTheLastUnitsLeaveNothingChargedThatDidNotPass()
      throws InterruptedException {
    final Limit first = Limit.fixedWindow(1_000_000, HOUR, 0);
    final Limit last = Limit.slidingCounter(50, HOUR);
    final LimitSet set = LimitSet.of(first, last);
    for (int round = 0; round < 200; round++) {
      final long key = Limit.mix(KEY + round);
      final AtomicInteger passed = new AtomicInteger();
      final CountDownLatch start = new CountDownLatch(1);
      final Thread[] threads = new Thread[8];
      for (int i = 0; i < threads.length; i++) {
        threads[i] = new Thread(() -> pass(set, key, start, passed));
        threads[i].start();
      }
      start.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(50, passed.get());
      table.peek(set.key(key, 0), first, 1, NOW, out);
      assertEquals(50, out.current(), "charged without passing");
    }
  }

  private void pass(LimitSet set, long key, CountDownLatch start, AtomicInteger passed) {
    final Decision mine = new Decision();
    try {
      start.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    for (int i = 0; i < 30; i++) {
      if (table.checkAll(key, set, 1, NOW, mine)) {
        passed.incrementAndGet();
      }
    }
  }
}
