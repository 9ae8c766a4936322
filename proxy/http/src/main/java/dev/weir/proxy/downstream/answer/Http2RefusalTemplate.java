package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.request.RefusalAnswer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** The HTTP/2 response to refusals of one kind: its head is a block of fields. */
public final class Http2RefusalTemplate extends RefusalTemplate {
  private final FieldEncoder encoder = new FieldEncoder();
  private final Http2RateLimitFields rateLimitFields;
  private final ByteBuf value = Unpooled.buffer(64); // on the heap: it lives as long as its loop

  public Http2RefusalTemplate(Http2RateLimitFields rateLimitFields) {
    this.rateLimitFields = rateLimitFields;
  }

  @Override
  void writeHead(ByteBuf out, Refusal refusal, byte[] now, int contentLength) {
    encoder.status(out, refusal.status());
    encoder.field(out, FieldKind.DATE, now);
    dateEndsAt(out.writerIndex());
    encoder.field(out, FieldKind.CONTENT_TYPE, refusal.contentType());
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
    for (int i = 0; i < refusal.fields().size(); i++) {
      RefusalAnswer.Field field = refusal.fields().get(i);
      refusal.write(value.clear(), field.value());
      encoder.field(out, field.lowerCaseName(), value.array(), value.readableBytes());
    }
    rateLimitFields.write(
        out, refusal.policy(), refusal.remaining(), refusal.waitSeconds(), true, refusal.state());
    limitEndsAt(rateLimitFields.digits());
  }
}
