package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class CallAllocationTest {
  private static final long NOW = 1_700_000_000_000_000L;
  private static final int CHECKS = 64;
  private static final int BATCHES = 10_000;
  private static final int ROUNDS = 8;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final CheckCall call = new CheckCall(256);
  private final CheckReply reply = new CheckReply();
  private final ByteBuffer received = ByteBuffer.allocateDirect(CheckReply.length(CHECKS));
  private final ByteBuffer receivedLeases =
      ByteBuffer.allocateDirect(CheckReply.length(CHECKS, CHECKS, CHECKS));
  private final ScriptLimit paced = ScriptLimit.paced(10, 7, 1_000_000);
  private final ScriptLimit leased = paced.leased(1_000);
  private final ScriptLimit log = ScriptLimit.slidingLog(10, 1_000_000);
  private final ScriptLimit days =
      ScriptLimit.calendarWindow(10, ChronoUnit.DAYS, ZoneId.of("Europe/Berlin"));
  private long sum;

  @Test
  void aWarmCallAllocatesNothing() {
    assertEquals(0, leastAllocated(this::batches));
    assertTrue(sum > 0);
  }

  private void batches() {
    for (int batch = 0; batch < BATCHES; batch++) {
      call.clear(NOW + batch);
      for (int i = 0; i < CHECKS; i += 5) {
        final int check = call.check(1, 2, paced);
        call.also(log, 1).also(days, 1);
        call.more(check, 3);
        call.checkOnce(1, log);
        call.peek(1, 1, days);
        call.refund(1, NOW, paced);
        call.lease(1, 10, 1_000, 1, leased);
        call.also(log, 1);
        call.refund(1, NOW, 1_000, leased, 7);
        final int hold = call.hold(1, 2, 1_000, 5, 1);
        call.alsoHeld(paced, 3, 4, 5, false).alsoHeld(days, 3, 0, 0, true).also(log, 1);
        call.more(hold, 1);
        call.peek(1, 1, paced);
        call.withHeld(0);
      }
      sum += call.length() + call.keyCount() + call.checkCount() + call.array().length;
    }
  }

  @Test
  void readingAReplyAllocatesNothing() {
    assertEquals(0, leastAllocated(this::replies));
  }

  /** The least of several runs: others also load, link or compile. */
  private long leastAllocated(Runnable run) {
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS && least > 0; round++) {
      final long before = threads.getCurrentThreadAllocatedBytes();
      run.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  private void replies() {
    for (int batch = 0; batch < BATCHES; batch++) {
      reply.wrap(received, CHECKS);
      sum += reply.nowUs();
      for (int i = 0; i < CHECKS; i++) {
        sum += reply.status(i) + reply.limitIndex(i) + reply.granted(i) + reply.remaining(i);
        sum += reply.capacity(i) + reply.resetAtUs(i) + reply.retryAfterUs(i) + reply.waitUs(i);
        sum += reply.replayed(i) ? 1 : 0;
      }
      reply.wrap(receivedLeases, CHECKS, CHECKS, CHECKS);
      for (int i = 0; i < CHECKS; i++) {
        sum += reply.kept(i) + reply.lifeUs(i) + reply.keptMark(i, 7) + reply.grantedMark(i, 0, 3);
        sum += reply.heldKept(i) + reply.holdStatus(i, 7) + reply.heldUnits(i);
      }
    }
  }
}
