package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TextWriter;
import dev.weir.proxy.request.Verdict.State;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Objects;

/**
 * The response to refusals of one kind: one reason, one limit, and the same number of digits in
 * each number. Two such responses differ only in the date and in digits at the same places, so the
 * next one overwrites those in the last one. Each version of HTTP writes the head in its own way.
 */
public abstract class RefusalTemplate {
  /** Stands for a number that is not written. */
  private static final int NONE = 0;

  // On the heap: they live as long as their loop.
  private final ByteBuf head = Unpooled.buffer(512);
  private final ByteBuf body = Unpooled.buffer(256);

  // What the answer is to; without a reason it is to none.
  private RefusalReason reason;
  private QuotaPolicy policy;
  private int shape;
  private State state;
  private byte[] date;
  private long retryAfterSeconds;
  private long remaining;
  private long waitSeconds;

  // Where the date and the digits end.
  private int dateEnd;
  private int retryEnd;
  private int bodyRetryEnd;
  private final RateLimitDigits limitEnds = new RateLimitDigits();

  /** The numbers of digits in a refusal, one byte for each number. */
  static int shape(Refusal refusal) {
    int retryDigits =
        refusal.retryAfterSeconds() == 0 ? NONE : TextWriter.digits(refusal.retryAfterSeconds());
    return retryDigits
        | TextWriter.digits(refusal.remaining()) << Byte.SIZE
        | TextWriter.digits(refusal.waitSeconds()) << 2 * Byte.SIZE;
  }

  /**
   * Makes this the response to a refusal of any kind.
   *
   * @param now the date; never changed by its owner.
   */
  final void answer(Refusal refusal, int refusalShape, byte[] now) {
    if (refusal.reason() == reason
        && refusalShape == shape
        && refusal.state() == state
        && Objects.equals(refusal.policy(), policy)) {
      writeOver(refusal, now);
    } else {
      shape = refusalShape;
      reason = refusal.reason();
      state = refusal.state();
      policy = refusal.policy();
      writeAnew(refusal, now);
      bodyRetryEnd = body.writerIndex() - ProblemWriter.BYTES_BEHIND_SECONDS;
    }
    date = now;
    retryAfterSeconds = refusal.retryAfterSeconds();
    remaining = refusal.remaining();
    waitSeconds = refusal.waitSeconds();
  }

  /** Makes this the response to a refusal, without use of the last one. */
  final void writeAnew(Refusal refusal, byte[] now) {
    refusal.writeBody(body.clear());
    writeHead(head.clear(), refusal, now, body.readableBytes());
  }

  /**
   * Writes the head's fields, and sets the indexes of the date and the numbers: {@link
   * #dateEndsAt}, {@link #retryEndsAt} if it is written, and {@link #limitEndsAt}.
   *
   * @param now the date.
   * @param contentLength that of the body, in bytes.
   */
  abstract void writeHead(ByteBuf out, Refusal refusal, byte[] now, int contentLength);

  final void dateEndsAt(int end) {
    dateEnd = end;
  }

  final void retryEndsAt(int end) {
    retryEnd = end;
  }

  final void limitEndsAt(RateLimitDigits ends) {
    limitEnds.set(ends, 0);
  }

  private void writeOver(Refusal refusal, byte[] now) {
    if (now != date) {
      head.setBytes(dateEnd - now.length, now);
    }
    if (refusal.retryAfterSeconds() != retryAfterSeconds) {
      writeOver(head, retryEnd, refusal.retryAfterSeconds());
      writeOver(body, bodyRetryEnd, refusal.retryAfterSeconds());
    }
    if (refusal.remaining() != remaining) {
      writeOver(head, limitEnds.remainingEnd, refusal.remaining());
      writeOver(head, limitEnds.xRemainingEnd, refusal.remaining());
    }
    if (refusal.waitSeconds() != waitSeconds) {
      writeOver(head, limitEnds.waitEnd, refusal.waitSeconds());
      writeOver(head, limitEnds.xWaitEnd, refusal.waitSeconds());
    }
  }

  /** Overwrites a number by one with as many digits; does nothing if the number is absent. */
  private static void writeOver(ByteBuf out, int end, long value) {
    if (end > 0) {
      TextWriter.setDecimal(out, end, value);
    }
  }

  /** The length of the head's fields in bytes. */
  final int headBytes() {
    return head.readableBytes();
  }

  /** Appends the head's fields. */
  public final void writeHead(ByteBuf out) {
    out.writeBytes(head.array(), head.arrayOffset(), head.readableBytes());
  }

  /** The body; the caller must not release it. */
  public final ByteBuf body() {
    return body;
  }

  /** Appends the body. */
  final void writeBody(ByteBuf out) {
    out.writeBytes(body.array(), body.arrayOffset(), body.readableBytes());
  }
}
