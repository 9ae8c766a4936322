package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.concurrent.TimeUnit;

/**
 * The values of the fields that tell a client of its limit, as in
 * draft-ietf-httpapi-ratelimit-headers-11. Each version of HTTP writes the names before them.
 */
public final class LimitValues {
  private static final byte[] QUOTA = ascii("\";q=");
  private static final byte[] WINDOW = ascii(";w=");
  private static final byte[] AT_A_TIME = ascii(";qu=\"concurrent-requests\"");
  private static final byte[] REMAINING = ascii("\";r=");
  private static final byte[] RESET = ascii(";t=");
  private static final long NS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

  private LimitValues() {}

  /** Appends the value of {@code RateLimit-Policy}. */
  public static void writePolicy(ByteBuf out, QuotaPolicy policy) {
    writeName(out, policy);
    out.writeBytes(QUOTA);
    TextWriter.writeDecimal(out, policy.quota());
    if (policy.isAtATime()) {
      out.writeBytes(AT_A_TIME);
    } else {
      out.writeBytes(WINDOW);
      TextWriter.writeDecimal(out, policy.windowSeconds());
    }
  }

  /**
   * Appends the value of {@code RateLimit}.
   *
   * @param remaining units left.
   * @param waitSeconds until the client may expect more; not told of requests at a time, as nobody
   *     knows when one ends.
   */
  public static void writeLimit(ByteBuf out, QuotaPolicy policy, long remaining, long waitSeconds) {
    writeRemaining(out, policy, remaining);
    if (!policy.isAtATime()) {
      writeReset(out, waitSeconds);
    }
  }

  /** Appends the value of {@code RateLimit} up to the number of units left. */
  public static void beginLimit(ByteBuf out, QuotaPolicy policy) {
    writeName(out, policy);
    out.writeBytes(REMAINING);
  }

  /** Appends the value of {@code RateLimit} up to and including the number of units left. */
  public static void writeRemaining(ByteBuf out, QuotaPolicy policy, long remaining) {
    beginLimit(out, policy);
    TextWriter.writeDecimal(out, remaining);
  }

  /** Appends the rest of the value of {@code RateLimit}; it ends with the digits of the seconds. */
  public static void writeReset(ByteBuf out, long waitSeconds) {
    out.writeBytes(RESET);
    TextWriter.writeDecimal(out, waitSeconds);
  }

  private static void writeName(ByteBuf out, QuotaPolicy policy) {
    out.writeByte('"');
    ByteBufUtil.writeAscii(out, policy.name());
  }

  /** Whole seconds, rounded up, so that a client that waits for them has waited long enough. */
  public static long ceilSeconds(long ns) {
    return ns / NS_PER_SECOND + (ns % NS_PER_SECOND == 0 ? 0 : 1);
  }
}
