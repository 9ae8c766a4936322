package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.TextWriter;
import dev.weir.proxy.request.Verdict.State;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Writes the fields of {@link RateLimitFields} for HTTP/2 clients. Consecutive responses mostly
 * have the same quota policy and differ only in digits at the same places, which are overwritten.
 * One per event loop.
 */
public final class Http2RateLimitFields {
  private final FieldEncoder encoder = new FieldEncoder();
  private final AnswerSettings answers;
  private final RateLimitDigits digits = new RateLimitDigits();

  // On the heap: they live as long as their loop.
  private final ByteBuf value = Unpooled.buffer(256);

  /** The fields that were written last, and what they say. */
  private final ByteBuf last = Unpooled.buffer(512);

  private QuotaPolicy lastPolicy;
  private long lastRemaining;
  private long lastWaitSeconds;
  private boolean lastWithX;

  /** The ends of the numbers in them. */
  private final RateLimitDigits lastEnds = new RateLimitDigits();

  public Http2RateLimitFields(AnswerSettings answers) {
    this.answers = answers;
  }

  /**
   * Appends the fields.
   *
   * @param policy null writes nothing.
   * @param remaining units left.
   * @param waitSeconds until the client may expect more; not told of requests at a time.
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
    if (policy == lastPolicy
        && withX == lastWithX
        && TextWriter.digits(remaining) == TextWriter.digits(lastRemaining)
        && TextWriter.digits(waitSeconds) == TextWriter.digits(lastWaitSeconds)) {
      writeOver(remaining, waitSeconds);
    } else {
      lastEnds.clear();
      writeAnew(last.clear(), policy, remaining, waitSeconds, withX);
    }
    lastPolicy = policy;
    lastRemaining = remaining;
    lastWaitSeconds = waitSeconds;
    lastWithX = withX;
    digits.set(lastEnds, out.writerIndex());
    out.writeBytes(last.array(), last.arrayOffset(), last.readableBytes());
    if (state != null) {
      out.writeBytes(StateField.of(state).block());
    }
  }

  private void writeOver(long remaining, long waitSeconds) {
    if (remaining != lastRemaining) {
      setDigits(lastEnds.remainingEnd, remaining);
      setDigits(lastEnds.xRemainingEnd, remaining);
    }
    if (waitSeconds != lastWaitSeconds) {
      setDigits(lastEnds.waitEnd, waitSeconds);
      setDigits(lastEnds.xWaitEnd, waitSeconds);
    }
  }

  private void setDigits(int end, long value) {
    if (end > 0) {
      TextWriter.setDecimal(last, end, value);
    }
  }

  private void writeAnew(
      ByteBuf out, QuotaPolicy policy, long remaining, long waitSeconds, boolean withX) {
    if (answers.rateLimit()) {
      LimitValues.writePolicy(value.clear(), policy);
      writeValue(out, FieldKind.RATELIMIT_POLICY);
      LimitValues.writeRemaining(value.clear(), policy, remaining);
      int behindRemaining = -value.writerIndex();
      if (!policy.isAtATime()) {
        LimitValues.writeReset(value, waitSeconds);
      }
      behindRemaining += value.writerIndex();
      writeValue(out, FieldKind.RATELIMIT);
      lastEnds.remainingEnd = out.writerIndex() - behindRemaining;
      lastEnds.waitEnd = policy.isAtATime() ? 0 : out.writerIndex();
    }
    if (answers.xRateLimit() && withX) {
      encoder.field(out, FieldKind.X_RATELIMIT_LIMIT, policy.quota());
      encoder.field(out, FieldKind.X_RATELIMIT_REMAINING, remaining);
      lastEnds.xRemainingEnd = out.writerIndex();
      if (!policy.isAtATime()) {
        encoder.field(out, FieldKind.X_RATELIMIT_RESET, waitSeconds);
        lastEnds.xWaitEnd = out.writerIndex();
      }
    }
  }

  /** The ends of the numbers that were written last. */
  RateLimitDigits digits() {
    return digits;
  }

  private void writeValue(ByteBuf out, int kind) {
    encoder.begin(out, kind, value.readableBytes());
    // From the array: of another buffer's bytes a view would be made.
    out.writeBytes(value.array(), value.arrayOffset(), value.readableBytes());
  }
}
