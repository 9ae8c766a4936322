package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http.HttpResponseStatus;

/** The HTTP/1.1 response to refusals of one kind: the lines of its head, except the last ones. */
final class Http1RefusalTemplate extends RefusalTemplate {
  private static final byte[] DATE = ascii("Date: ");
  private static final byte[] CONTENT =
      ascii("\r\nContent-Type: " + ProblemWriter.CONTENT_TYPE + "\r\nContent-Length: ");
  private static final byte[] RETRY_AFTER = ascii("Retry-After: ");
  private static final byte[] AUTHENTICATE = ascii("WWW-Authenticate: ");
  private static final byte[] CRLF = ascii("\r\n");

  /** The status line of each reason, by ordinal. */
  private static final byte[][] STATUS_LINES = new byte[RefusalReason.values().length][];

  static {
    for (RefusalReason reason : RefusalReason.values()) {
      int status = reason.httpStatus();
      String phrase = HttpResponseStatus.valueOf(status).reasonPhrase();
      STATUS_LINES[reason.ordinal()] = ascii("HTTP/1.1 " + status + ' ' + phrase + "\r\n");
    }
  }

  private final RateLimitFields rateLimitFields;

  Http1RefusalTemplate(RateLimitFields rateLimitFields) {
    this.rateLimitFields = rateLimitFields;
  }

  @Override
  void writeHead(ByteBuf out, Refusal refusal, byte[] now, int contentLength) {
    out.writeBytes(STATUS_LINES[refusal.reason().ordinal()]);
    out.writeBytes(DATE).writeBytes(now);
    dateEndsAt(out.writerIndex());
    out.writeBytes(CONTENT);
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
    rateLimitFields.write(
        out, refusal.policy(), refusal.remaining(), refusal.waitSeconds(), true, refusal.state());
    limitEndsAt(rateLimitFields.digits());
  }
}
