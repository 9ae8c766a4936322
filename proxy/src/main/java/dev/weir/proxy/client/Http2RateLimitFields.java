package dev.weir.proxy.client;

import dev.weir.proxy.http.LimitValues;
import dev.weir.proxy.http2.FieldEncoder;
import dev.weir.proxy.http2.FieldKind;
import dev.weir.proxy.request.QuotaPolicy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Tells a client of HTTP/2 of its limit, in the fields that {@link RateLimitFields} tells one of
 * HTTP/1.1 in. One per event loop.
 */
final class Http2RateLimitFields {
  private final FieldEncoder encoder = new FieldEncoder();
  private final ByteBuf value = Unpooled.buffer(256); // on the heap: it lives as long as its loop
  private final AnswerSettings answers;
  private final RateLimitDigits digits = new RateLimitDigits();

  Http2RateLimitFields(AnswerSettings answers) {
    this.answers = answers;
  }

  /**
   * Appends the fields.
   *
   * @param policy null writes nothing.
   * @param remaining requests left.
   * @param waitSeconds until the client may expect more.
   * @param withX whether X-RateLimit fields may be written.
   */
  void write(ByteBuf out, QuotaPolicy policy, long remaining, long waitSeconds, boolean withX) {
    digits.clear();
    if (policy == null) {
      return;
    }
    if (answers.rateLimit()) {
      LimitValues.writePolicy(value.clear(), policy);
      writeValue(out, FieldKind.RATELIMIT_POLICY);
      LimitValues.writeRemaining(value.clear(), policy, remaining);
      int behindRemaining = -value.writerIndex();
      LimitValues.writeReset(value, waitSeconds);
      behindRemaining += value.writerIndex();
      writeValue(out, FieldKind.RATELIMIT);
      digits.waitEnd = out.writerIndex();
      digits.remainingEnd = digits.waitEnd - behindRemaining;
    }
    if (answers.xRateLimit() && withX) {
      encoder.field(out, FieldKind.X_RATELIMIT_LIMIT, policy.quota());
      encoder.field(out, FieldKind.X_RATELIMIT_REMAINING, remaining);
      digits.xRemainingEnd = out.writerIndex();
      encoder.field(out, FieldKind.X_RATELIMIT_RESET, waitSeconds);
      digits.xWaitEnd = out.writerIndex();
    }
  }

  /** Where the numbers are that were written last. */
  RateLimitDigits digits() {
    return digits;
  }

  private void writeValue(ByteBuf out, int kind) {
    encoder.begin(out, kind, value.readableBytes());
    // From the array: of another buffer's bytes a view would be made.
    out.writeBytes(value.array(), value.arrayOffset(), value.readableBytes());
  }
}
