package dev.weir.proxy.client;

import static dev.weir.proxy.http.TextWriter.ascii;

import dev.weir.proxy.http.ProblemWriter;
import dev.weir.proxy.http.Refusal;
import dev.weir.proxy.http.TextWriter;
import dev.weir.proxy.http2.FieldEncoder;
import dev.weir.proxy.http2.FieldKind;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Objects;

/**
 * The answer of HTTP/2 to refusals of one kind: for one reason, by one limit, with as many digits
 * in each number. Two of them differ in the date and the digits alone, which stand at the same
 * places; so the answer to the next is that to the last one, with what differs written over.
 */
final class RefusalTemplate {
  /** Has no digits: what it would stand in is not written. */
  private static final int NONE = 0;

  private static final byte[] CONTENT_TYPE = ascii(ProblemWriter.CONTENT_TYPE);

  private final FieldEncoder encoder = new FieldEncoder();
  private final Http2RateLimitFields rateLimitFields;

  // On the heap: they live as long as their loop.
  private final ByteBuf head = Unpooled.buffer(512);
  private final ByteBuf body = Unpooled.buffer(256);

  // What the answer is to; without a reason it is to none.
  private RefusalReason reason;
  private QuotaPolicy policy;
  private int shape;
  private byte[] date;
  private long retryAfterSeconds;
  private long remaining;
  private long waitSeconds;

  // Where the date and the digits end.
  private int dateEnd;
  private int retryEnd;
  private int bodyRetryEnd;
  private int remainingEnd;
  private int waitEnd;
  private int xRemainingEnd;
  private int xWaitEnd;

  RefusalTemplate(Http2RateLimitFields rateLimitFields) {
    this.rateLimitFields = rateLimitFields;
  }

  /** How many digits the numbers of a refusal have: a byte for each. */
  static int shape(Refusal refusal) {
    int retryDigits =
        refusal.retryAfterSeconds() == 0 ? NONE : TextWriter.digits(refusal.retryAfterSeconds());
    return retryDigits
        | TextWriter.digits(refusal.remaining()) << Byte.SIZE
        | TextWriter.digits(refusal.waitSeconds()) << 2 * Byte.SIZE;
  }

  /**
   * Makes it the answer to a refusal, of whatever kind.
   *
   * @param now the date; never changed by its owner.
   */
  void answer(Refusal refusal, int refusalShape, byte[] now) {
    if (refusal.reason() == reason
        && refusalShape == shape
        && Objects.equals(refusal.policy(), policy)) {
      writeOver(refusal, now);
    } else {
      shape = refusalShape;
      reason = refusal.reason();
      policy = refusal.policy();
      write(refusal, now);
    }
    date = now;
    retryAfterSeconds = refusal.retryAfterSeconds();
    remaining = refusal.remaining();
    waitSeconds = refusal.waitSeconds();
  }

  private void write(Refusal refusal, byte[] now) {
    ProblemWriter.write(body.clear(), refusal);
    bodyRetryEnd = body.writerIndex() - ProblemWriter.BYTES_BEHIND_SECONDS;
    encoder.status(head.clear(), reason.httpStatus());
    encoder.field(head, FieldKind.DATE, now);
    dateEnd = head.writerIndex();
    encoder.field(head, FieldKind.CONTENT_TYPE, CONTENT_TYPE);
    encoder.field(head, FieldKind.CONTENT_LENGTH, body.readableBytes());
    if (refusal.retryAfterSeconds() > 0) {
      encoder.field(head, FieldKind.RETRY_AFTER, refusal.retryAfterSeconds());
      retryEnd = head.writerIndex();
    }
    String challenge = refusal.challenge();
    if (challenge != null) {
      encoder.begin(head, FieldKind.WWW_AUTHENTICATE, challenge.length());
      ByteBufUtil.writeAscii(head, challenge);
    }
    rateLimitFields.write(head, policy, refusal.remaining(), refusal.waitSeconds(), true);
    remainingEnd = rateLimitFields.remainingEnd();
    waitEnd = rateLimitFields.waitEnd();
    xRemainingEnd = rateLimitFields.xRemainingEnd();
    xWaitEnd = rateLimitFields.xWaitEnd();
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
      writeOver(head, remainingEnd, refusal.remaining());
      writeOver(head, xRemainingEnd, refusal.remaining());
    }
    if (refusal.waitSeconds() != waitSeconds) {
      writeOver(head, waitEnd, refusal.waitSeconds());
      writeOver(head, xWaitEnd, refusal.waitSeconds());
    }
  }

  /** Writes a number over another one with as many digits, unless that ends nowhere. */
  private static void writeOver(ByteBuf out, int end, long value) {
    if (end > 0) {
      long rest = value;
      int at = end;
      do {
        out.setByte(--at, '0' + (int) (rest % 10));
        rest /= 10;
      } while (rest > 0);
    }
  }

  /** Appends the head's fields. */
  void writeHead(ByteBuf out) {
    out.writeBytes(head.array(), head.arrayOffset(), head.readableBytes());
  }

  /** The content, not the caller's to release. */
  ByteBuf body() {
    return body;
  }
}
