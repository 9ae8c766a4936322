package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.ScriptLimit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Memory for a decision of the store, but for what Lettuce makes for each batch. */
@Tag("allocation")
class BatchAllocationTest {
  private static final int CHECKS = 64;
  private static final int REQUESTS = 4 * CHECKS;
  private static final int WARM_UP = 3_000;

  private static final int KEY_BYTES = 40;

  private final ScriptLimit[] limits = {ScriptLimit.paced(1_000, 1_000, 1_000_000)};
  private final StoreKeys keys = new StoreKeys(1);
  private final StoreQuestion question = new StoreQuestion();
  private final StoreCallback callback = new Counting();
  // On the heap: of others the leak detector of the tests keeps a record of each use.
  private final ByteBuf wire = Unpooled.buffer(1 << 16);
  private long decided;

  @Test
  void aBatchIsFilledSentAndDeliveredWithoutAllocating() {
    assertAllocatesNothing(false);
    assertEquals((WARM_UP + 20L) * REQUESTS, decided);
  }

  @Test
  void aBatchOfHoldsIsFilledAndSentWithoutAllocating() {
    assertAllocatesNothing(true);
  }

  private void assertAllocatesNothing(boolean holds) {
    ByteBuffer answer = answer();
    LoopClock clock = new LoopClock();
    StoreObserver observer = new Metrics().newLoop().store();
    QuestionResults outcomes = new QuestionResults(clock, new Debts(observer));
    outcomes.observer(observer);
    Batch batch = new Batch(outcomes, new EndedCalls(null));
    for (int i = 0; i < WARM_UP; i++) {
      fly(batch, holds, answer, i);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      fly(batch, holds, answer, i);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(0, least);
    wire.release();
  }

  /** Four requests for each of the keys, all granted; or a hold, which is not answered. */
  private void fly(Batch batch, boolean holds, ByteBuffer answer, long nowNs) {
    batch.begin(null, 0);
    for (int request = 0; request < (holds ? CHECKS : REQUESTS); request++) {
      keys.clear();
      keys.buffer().putInt(0, request % CHECKS);
      keys.add(KEY_BYTES, 0, request % CHECKS * 31L, 0);
      if (holds) {
        question.hold(callback, request).of(keys, 0, limits).upTo(4);
        question.holder(request, nowNs + 1, 10_000_000).cost(0, 2).held(0, 3, 5, false);
      } else {
        question.check(callback, request).of(keys, 0, limits);
      }
      batch.add(question, nowNs, nowNs + 1);
    }
    batch.prepare(null, nowNs);
    wire.clear();
    batch.call().encode(wire);
    if (!holds) {
      answer.rewind();
      batch.call().getOutput().set(answer);
      assertTrue(batch.deliver());
    }
    batch.clear();
  }

  private static ByteBuffer answer() {
    ByteBuffer answer =
        ByteBuffer.allocate(CheckReply.length(CHECKS)).order(ByteOrder.LITTLE_ENDIAN);
    answer.putDouble(1_000_000);
    for (int check = 0; check < CHECKS; check++) {
      answer.put((byte) CheckReply.GRANTED).put((byte) 0).putDouble(4).putDouble(9);
      answer.putDouble(1_000).putDouble(1_000_001).putDouble(0).putDouble(0);
    }
    return answer;
  }

  private final class Counting implements StoreCallback {
    @Override
    public void decided(long ticket, StoreDecision decision) {
      decided += decision.allowed() ? 1 : 0;
    }

    @Override
    public boolean unavailable(long ticket, StoreFault fault) {
      throw new AssertionError(fault);
    }
  }
}
