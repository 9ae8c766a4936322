package dev.weir.proxy.downstream.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.request.QuotaPolicy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RateLimitFieldsTest {
  private static final QuotaPolicy FREE = new QuotaPolicy("free", 100, 60);
  private static final QuotaPolicy PAID = new QuotaPolicy("paid", 100_000, 3600);

  private final RateLimitFields fields = new RateLimitFields(new AnswerSettings(true, false));

  private String written(QuotaPolicy policy, long remaining, long waitSeconds) {
    return written(fields, policy, remaining, waitSeconds);
  }

  private static String written(
      RateLimitFields fields, QuotaPolicy policy, long remaining, long waitSeconds) {
    ByteBuf out = Unpooled.buffer();
    fields.write(out, policy, remaining, waitSeconds, true, null);
    return out.toString(StandardCharsets.US_ASCII);
  }

  @Test
  void tellsNoTimeOfRequestsAtATime() {
    QuotaPolicy running = new QuotaPolicy("running", 4, QuotaPolicy.NO_WINDOW);
    assertEquals(
        "RateLimit-Policy: \"running\";q=4;qu=\"concurrent-requests\"\r\n"
            + "RateLimit: \"running\";r=0\r\n"
            + "X-RateLimit-Limit: 4\r\nX-RateLimit-Remaining: 0\r\n",
        written(new RateLimitFields(new AnswerSettings(true, true)), running, 0, 1));
  }

  @Test
  void tellsOfEachPolicyWhateverWasToldBefore() {
    String free = "RateLimit-Policy: \"free\";q=100;w=60\r\nRateLimit: \"free\";r=99;t=1\r\n";
    String paid = "RateLimit-Policy: \"paid\";q=100000;w=3600\r\nRateLimit: \"paid\";r=0;t=36\r\n";
    assertEquals(free, written(FREE, 99, 1));
    assertEquals(paid, written(PAID, 0, 36));
    assertEquals(free, written(FREE, 99, 1));
    assertEquals("", written(null, 0, 0));
    assertEquals(paid, written(PAID, 0, 36));
    assertEquals(paid.replace("r=0", "r=10"), written(PAID, 10, 36));
  }
}
