package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class AllocationTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Limit LIMIT = Limit.gcra(3, SECOND, 3);
  private static final Limit OTHER = Limit.tokenBucket(5, 1, SECOND, 10);
  private static final int STEPS = 100_000;

  private final Decision out = new Decision();
  private final SipHash hash = new SipHash(1, 2);
  private final UnsafeBuffer identity = new UnsafeBuffer(new byte[37]);
  private long sum;

  @Test
  void noPathAllocates() {
    final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (LimitTable table = new LimitTable(256)) {
      steps(table, 1);
      final long before = threads.getCurrentThreadAllocatedBytes();
      steps(table, STEPS);
      final long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertTrue(allocated < STEPS, allocated + " bytes in " + STEPS + " steps");
      assertTrue(table.reclaimedCount() > 0 && table.overflowCount() > 0, "paths not taken");
    }
  }

  private void steps(LimitTable table, long first) {
    for (long step = first; step < first + STEPS; step++) {
      identity.putLong(5, step & 0xfff);
      final long key = hash.hash(identity, 3, 30);
      final long nowNs = step * (SECOND / 100);
      sum += table.check(key, LIMIT, 1, nowNs, out) ? 1 : 0;
      sum += out.remaining() + out.resetAtNs() + out.retryAfterNs();
      sum += table.check(key, LIMIT, 2, nowNs, out) ? 1 : 0;
      sum += table.grantUpTo(key, LIMIT, 2, nowNs, out);
      sum += table.peek(key, LIMIT, 2, nowNs, out) ? 1 : 0;
      switch ((int) step & 63) {
        case 0 -> table.reset(key, nowNs);
        case 1 -> table.changeLimit(key, LIMIT, OTHER, nowNs);
        case 2 -> table.carryOver(key, LIMIT, key + 1, OTHER, nowNs, out);
        default -> sum++;
      }
    }
  }
}
