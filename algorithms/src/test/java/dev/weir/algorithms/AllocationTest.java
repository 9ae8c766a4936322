package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.ZoneId;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AllocationTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Limit OTHER = Limit.tokenBucket(5, 1, SECOND, 10);
  private static final int STEPS = 32_000;

  /** Some calls are made in every 64th step: half of the least that an object would take there. */
  private static final int MOST_BYTES = STEPS / 64 * 16 / 2;

  private final Decision out = new Decision();
  private final SipHash hash = new SipHash(1, 2);
  private final UnsafeBuffer identity = new UnsafeBuffer(new byte[37]);
  private final LimitSet set = new LimitSet();
  private final PlannedLimit planned = new PlannedLimit();
  private long sum;

  static Limit[] everyAlgorithm() {
    return new Limit[] {
      Limit.gcra(3, SECOND, 3),
      Limit.gcra(3, SECOND + 1, 3),
      Limit.tokenBucket(3, 1, SECOND, 10),
      Limit.leakyBucket(3, 3, SECOND),
      Limit.leakyBucketQueue(3, 3, SECOND, SECOND),
      Limit.fixedWindow(3, SECOND, 0),
      Limit.fixedWindow(3, CalendarUnit.HOUR, ZoneId.of("Europe/Berlin"), -1_767_225_600 * SECOND),
      Limit.slidingCounter(3, SECOND),
      Limit.slidingLog(3, SECOND),
      Limit.bucketRing(3, SECOND, 4),
    };
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void noPathAllocates(Limit limit) {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    final Limit more = Limit.tokenBucket(5, 5, SECOND, limit.costScale());
    try (LimitTable table = new LimitTable(256, 4)) {
      steps(table, limit, more, 1);
      final long before = threads.getCurrentThreadAllocatedBytes();
      steps(table, limit, more, STEPS);
      final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertTrue(allocated < MOST_BYTES, allocated + " bytes in " + STEPS + " steps");
      assertTrue(table.reclaimedCount() > 0, "reclaimed nothing");
      assertTrue(table.overflowCount() + table.evictedCount() > 0, "was never full");
    }
  }

  private void steps(LimitTable table, Limit limit, Limit more, long first) {
    // Slow enough to overflow the table, and fast enough to reclaim slots.
    final long stepNs = limit.wholeAtNs(1) / 400;
    for (long step = first; step < first + STEPS; step++) {
      identity.putLong(5, step & 0xfff);
      final long key = hash.hash(identity, 3, 30);
      final long nowNs = step * stepNs;
      sum += table.check(key, limit, 1, nowNs, out) ? 1 : 0;
      sum += out.remaining() + out.current() + out.resetAtNs() + out.retryAfterNs() + out.waitNs();
      sum += table.check(key, limit, 2, nowNs, out) ? 1 : 0;
      sum += Grants.upTo(table, key, limit, 2, nowNs, out);
      sum += table.peek(key, limit, 2, nowNs, out) ? 1 : 0;
      set.clear().add(table, key, limit, 1).add(table, ~key, more, 1);
      sum += set.check(nowNs, out) ? 1 : 0;
      sum += table.refund(key, limit, 1, nowNs, nowNs) ? 1 : 0;
      if (HeldBudget.hold(table, key, limit, table, key + 2, 1, nowNs, out)) {
        HeldBudget.settle(table, key, limit, 2, table, key + 2, 1, nowNs, out);
        sum += out.held() + out.remaining() + out.granted();
      }
      switch ((int) step & 63) {
        case 0 -> table.reset(key, nowNs);
        case 1 -> change(table, key, limit, nowNs);
        case 2 -> table.carryOver(key, limit, table, key + 1, OTHER, (step & 64) == 0, nowNs, out);
        default -> sum++;
      }
    }
  }

  @Test
  void noPathOfPlansAllocates() {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (LimitTable table = new LimitTable(256);
        UserTable users = new UserTable(100)) {
      changePlans(table, users, 1);
      final long before = threads.getCurrentThreadAllocatedBytes();
      changePlans(table, users, STEPS);
      final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertTrue(allocated < MOST_BYTES, allocated + " bytes in " + STEPS + " steps");
      assertTrue(users.forgottenCount() > 0, "was never full");
    }
  }

  private void changePlans(LimitTable table, UserTable users, long first) {
    final Limit slow = Limit.gcra(3, SECOND + 1, 3);
    final Limit fast = Limit.gcra(7, SECOND, 9);
    for (long step = first; step < first + STEPS; step++) {
      final long nowNs = step * SECOND / 100;
      final long hash = SipHash.mix(step & 0x1ff);
      final int slot = users.meet(hash);
      users.set(slot, hash, users.word(slot, hash), 1 + (int) (step >> 9 & 1), 1, true);
      final long word = users.word(slot, hash);
      final Limit limit = UserWord.plan(word) == 1 ? slow : fast;
      final Limit before = UserWord.planBefore(word) == 1 ? slow : fast;
      set.clear().add(table, hash, limit, 1).underPlan(before, users, slot, hash, word);
      sum += set.check(nowNs, out) ? 1 : 0;
      sum += out.remaining() + out.current() + out.resetAtNs() + out.retryAfterNs() + out.waitNs();
      sum +=
          table.convert(hash, planned.under(limit, before, users, slot, hash, word), nowNs) ? 1 : 0;
      sum += users.forget(hash) ? 1 : 0;
    }
  }

  private void change(LimitTable table, long key, Limit limit, long nowNs) {
    table.changeLimit(key, limit, OTHER, nowNs);
    table.changeLimit(key, OTHER, limit, nowNs);
  }
}
