package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/** The HTTP/2 response to refusals of one kind: its head is a block of fields. */
public final class Http2RefusalTemplate extends RefusalTemplate {
  private static final byte[] CONTENT_TYPE = ascii(ProblemWriter.CONTENT_TYPE);

  private final FieldEncoder encoder = new FieldEncoder();
  private final Http2RateLimitFields rateLimitFields;

  public Http2RefusalTemplate(Http2RateLimitFields rateLimitFields) {
    this.rateLimitFields = rateLimitFields;
  }

  @Override
  void writeHead(ByteBuf out, Refusal refusal, byte[] now, int contentLength) {
    encoder.status(out, refusal.reason().httpStatus());
    encoder.field(out, FieldKind.DATE, now);
    dateEndsAt(out.writerIndex());
    encoder.field(out, FieldKind.CONTENT_TYPE, CONTENT_TYPE);
    encoder.field(out, FieldKind.CONTENT_LENGTH, contentLength);
    if (refusal.retryAfterSeconds() > 0) {
      encoder.field(out, FieldKind.RETRY_AFTER, refusal.retryAfterSeconds());
      retryEndsAt(out.writerIndex());
    }
    String challenge = refusal.challenge();
    if (challenge != null) {
      encoder.begin(out, FieldKind.WWW_AUTHENTICATE, challenge.length());
      ByteBufUtil.writeAscii(out, challenge);
    }
    rateLimitFields.write(
        out, refusal.policy(), refusal.remaining(), refusal.waitSeconds(), true, refusal.state());
    limitEndsAt(rateLimitFields.digits());
  }
}
