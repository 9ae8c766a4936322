package dev.weir.proxy.client;

import static dev.weir.proxy.http.TextWriter.ascii;

import dev.weir.proxy.http.ProblemWriter;
import dev.weir.proxy.http.Refusal;
import dev.weir.proxy.http2.FieldEncoder;
import dev.weir.proxy.http2.FieldKind;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/**
 * Writes a {@link Refusal} as a response of HTTP/2: status, {@code retry-after}, the RateLimit
 * fields, and a problem as the body. One per event loop. {@link #describe} first; what is written
 * then is of that refusal.
 */
final class Http2RefusalWriter {
  private static final byte[] CONTENT_TYPE = ascii(ProblemWriter.CONTENT_TYPE);

  private final FieldEncoder encoder = new FieldEncoder();
  private final Http2RateLimitFields rateLimitFields;
  private final CurrentDate date;
  private final ByteBuf body = Unpooled.buffer(1024); // on the heap: it lives as long as its loop
  private final Refusal refusal = new Refusal();

  Http2RefusalWriter(Http2RateLimitFields rateLimitFields, CurrentDate date) {
    this.rateLimitFields = rateLimitFields;
    this.date = date;
  }

  /**
   * Begins with a refusal.
   *
   * @param verdict one that does not allow; read during the call only.
   */
  void describe(Verdict verdict) {
    refusal.describe(verdict);
    ProblemWriter.write(body.clear(), refusal);
  }

  /** Appends the head's fields. */
  void writeHead(ByteBuf out) {
    encoder.status(out, refusal.reason().httpStatus());
    encoder.field(out, FieldKind.DATE, date.text());
    encoder.field(out, FieldKind.CONTENT_TYPE, CONTENT_TYPE);
    encoder.field(out, FieldKind.CONTENT_LENGTH, body.readableBytes());
    if (refusal.retryAfterSeconds() > 0) {
      encoder.field(out, FieldKind.RETRY_AFTER, refusal.retryAfterSeconds());
    }
    String challenge = refusal.challenge();
    if (challenge != null) {
      encoder.begin(out, FieldKind.WWW_AUTHENTICATE, challenge.length());
      ByteBufUtil.writeAscii(out, challenge);
    }
    rateLimitFields.write(out, refusal.policy(), refusal.remaining(), refusal.waitSeconds(), true);
  }

  /** The content; valid until the next refusal is described, and not the caller's to release. */
  ByteBuf body() {
    return body;
  }
}
