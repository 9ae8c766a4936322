package dev.weir.proxy.client;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.request.QuotaPolicy;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class Http2RateLimitFieldsTest {
  /** What the measuring itself may take. */
  private static final long NOISE_BYTES = 1_000;

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
          fields.write(out.clear(), policy, i, 1, true);
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
