package dev.weir.proxy.downstream.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.request.QuotaPolicy;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class Http2RateLimitFieldsTest {
  /** What the measuring itself may take. */
  private static final long NOISE_BYTES = 1_000;

  private static final int RANDOM_ANSWERS = 5_000;

  /** As one that has written nothing before. */
  @Test
  void writesTheSameWhateverItHasWrittenBefore() {
    SplittableRandom random = new SplittableRandom(1);
    QuotaPolicy[] policies = {
      new QuotaPolicy("free", 100, 60),
      new QuotaPolicy("paid", 5_000, 3_600),
      new QuotaPolicy("running", 5_000, QuotaPolicy.NO_WINDOW),
      null
    };
    AnswerSettings answers = new AnswerSettings(true, true);
    Http2RateLimitFields fields = new Http2RateLimitFields(answers);
    for (int i = 0; i < RANDOM_ANSWERS; i++) {
      QuotaPolicy policy = policies[random.nextInt(20) / 6];
      long remaining = random.nextLong(random.nextBoolean() ? 10 : 2_000);
      long waitSeconds = random.nextLong(random.nextBoolean() ? 10 : 200);
      boolean withX = random.nextInt(5) > 0;
      ByteBuf before = Unpooled.buffer().writeZero(random.nextInt(9));
      ByteBuf wanted = before.copy();
      Http2RateLimitFields anew = new Http2RateLimitFields(answers);
      fields.write(before, policy, remaining, waitSeconds, withX, null);
      anew.write(wanted, policy, remaining, waitSeconds, withX, null);
      assertEquals(wanted, before);
      assertEquals(anew.digits().remainingEnd, fields.digits().remainingEnd);
      assertEquals(anew.digits().waitEnd, fields.digits().waitEnd);
      assertEquals(anew.digits().xRemainingEnd, fields.digits().xRemainingEnd);
      assertEquals(anew.digits().xWaitEnd, fields.digits().xWaitEnd);
    }
  }

  /** Into a buffer as connections have them: another kind of buffer would hide what views take. */
  @Test
  void writesIntoADirectBufferWithoutAllocating() {
    Http2RateLimitFields fields = new Http2RateLimitFields(new AnswerSettings(true, true));
    QuotaPolicy policy = new QuotaPolicy("free", 100, 60);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates to watch
    ByteBuf out = new AdaptiveByteBufAllocator().directBuffer(4096);
    try {
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 5 && least > NOISE_BYTES; round++) { // the first ones also load
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 20_000; i++) {
          fields.write(out.clear(), policy, i, 1, true, null);
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertTrue(least < NOISE_BYTES, least + " bytes");
    } finally {
      out.release();
      ResourceLeakDetector.setLevel(level);
    }
  }
}
