package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.http1.ReasonPhrase;
import dev.weir.proxy.request.RefusalAnswer;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;

/** The HTTP/1.1 response to refusals of one kind: the lines of its head, except the last ones. */
final class Http1RefusalTemplate extends RefusalTemplate {
  private static final byte[] VERSION = ascii("HTTP/1.1 ");
  private static final byte[] DATE = ascii("\r\nDate: ");
  private static final byte[] CONTENT_TYPE = ascii("\r\nContent-Type: ");
  private static final byte[] CONTENT_LENGTH = ascii("\r\nContent-Length: ");
  private static final byte[] RETRY_AFTER = ascii("Retry-After: ");
  private static final byte[] AUTHENTICATE = ascii("WWW-Authenticate: ");
  private static final byte[] CRLF = ascii("\r\n");

  private final RateLimitFields rateLimitFields;

  Http1RefusalTemplate(RateLimitFields rateLimitFields) {
    this.rateLimitFields = rateLimitFields;
  }

  @Override
  void writeHead(ByteBuf out, Refusal refusal, byte[] now, int contentLength) {
    out.writeBytes(VERSION);
    TextWriter.writeDecimal(out, refusal.status());
    out.writeByte(' ').writeBytes(ReasonPhrase.of(refusal.status()));
    out.writeBytes(DATE).writeBytes(now);
    dateEndsAt(out.writerIndex());
    out.writeBytes(CONTENT_TYPE).writeBytes(refusal.contentType()).writeBytes(CONTENT_LENGTH);
    TextWriter.writeDecimal(out, contentLength);
    out.writeBytes(CRLF);
    if (refusal.retryAfterSeconds() > 0) {
      out.writeBytes(RETRY_AFTER);
      TextWriter.writeDecimal(out, refusal.retryAfterSeconds());
      retryEndsAt(out.writerIndex());
      out.writeBytes(CRLF);
    }
    if (refusal.challenge() != null) {
      out.writeBytes(AUTHENTICATE);
      ByteBufUtil.writeAscii(out, refusal.challenge());
      out.writeBytes(CRLF);
    }
    for (int i = 0; i < refusal.fields().size(); i++) {
      RefusalAnswer.Field field = refusal.fields().get(i);
      out.writeBytes(field.name()).writeByte(':').writeByte(' ');
      refusal.write(out, field.value());
      out.writeBytes(CRLF);
    }
    rateLimitFields.write(
        out, refusal.policy(), refusal.remaining(), refusal.waitSeconds(), true, refusal.state());
    limitEndsAt(rateLimitFields.digits());
  }
}
