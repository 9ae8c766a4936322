package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;
import static dev.weir.proxy.request.TextWriter.writeDecimal;

import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.Verdict.State;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Writes the fields that tell an HTTP/1.1 client about its limit: {@code RateLimit-Policy} and
 * {@code RateLimit} of draft-ietf-httpapi-ratelimit-headers-11, and the older {@code X-RateLimit}
 * fields.
 */
public final class RateLimitFields {
  private static final byte[] POLICY = ascii("RateLimit-Policy: ");
  private static final byte[] RATE_LIMIT = ascii("\r\nRateLimit: ");
  private static final byte[] CRLF = ascii("\r\n");
  private static final byte[] X_LIMIT = ascii("X-RateLimit-Limit: ");
  private static final byte[] X_REMAINING = ascii("\r\nX-RateLimit-Remaining: ");
  private static final byte[] X_RESET = ascii("\r\nX-RateLimit-Reset: ");

  /** The most bytes of all the fields, without the two occurrences of the policy's name. */
  private static final int FIXED_BYTES = 320 + StateField.MAX_BYTES;

  private final AnswerSettings answers;
  private final RateLimitDigits digits = new RateLimitDigits();

  /**
   * The fields up to the first number, for the quota policy that was written last: consecutive
   * responses mostly have the same. On the heap, as it lives as long as its loop.
   */
  private final ByteBuf beginning = Unpooled.buffer(256);

  private QuotaPolicy begun;

  public RateLimitFields(AnswerSettings answers) {
    this.answers = answers;
  }

  /** The most bytes that {@link #write} writes. */
  public static int bound(QuotaPolicy policy) {
    return policy == null ? 0 : FIXED_BYTES + 2 * policy.name().length();
  }

  AnswerSettings answers() {
    return answers;
  }

  /** The ends of the numbers that were written last. */
  RateLimitDigits digits() {
    return digits;
  }

  /**
   * Appends the fields.
   *
   * @param policy null writes nothing.
   * @param remaining units left.
   * @param waitSeconds until the client may expect more: the retry time if none are left, else the
   *     reset. Not told of requests at a time.
   * @param withX whether X-RateLimit fields may be written.
   * @param state to tell; null for none.
   */
  public void write(
      ByteBuf out,
      QuotaPolicy policy,
      long remaining,
      long waitSeconds,
      boolean withX,
      State state) {
    digits.clear();
    if (policy == null) {
      return;
    }
    if (answers.rateLimit()) {
      begin(policy);
      out.writeBytes(beginning.array(), beginning.arrayOffset(), beginning.readableBytes());
      writeDecimal(out, remaining);
      digits.remainingEnd = out.writerIndex();
      if (!policy.isAtATime()) {
        LimitValues.writeReset(out, waitSeconds);
        digits.waitEnd = out.writerIndex();
      }
      out.writeBytes(CRLF);
    }
    if (answers.xRateLimit() && withX) {
      out.writeBytes(X_LIMIT);
      writeDecimal(out, policy.quota());
      out.writeBytes(X_REMAINING);
      writeDecimal(out, remaining);
      digits.xRemainingEnd = out.writerIndex();
      if (!policy.isAtATime()) {
        out.writeBytes(X_RESET);
        writeDecimal(out, waitSeconds);
        digits.xWaitEnd = out.writerIndex();
      }
      out.writeBytes(CRLF);
    }
    if (state != null) {
      out.writeBytes(StateField.of(state).line());
    }
  }

  private void begin(QuotaPolicy policy) {
    if (policy != begun) {
      begun = policy;
      beginning.clear().writeBytes(POLICY);
      LimitValues.writePolicy(beginning, policy);
      beginning.writeBytes(RATE_LIMIT);
      LimitValues.beginLimit(beginning, policy);
    }
  }
}
