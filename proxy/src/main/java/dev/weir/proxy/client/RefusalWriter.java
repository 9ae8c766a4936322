package dev.weir.proxy.client;

import static dev.weir.proxy.http.TextWriter.ascii;

import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.grpc.GrpcRefusalWriter;
import dev.weir.proxy.http.CurrentDate;
import dev.weir.proxy.http.ProblemWriter;
import dev.weir.proxy.http.Refusal;
import dev.weir.proxy.http.TextWriter;
import dev.weir.proxy.http1.ResponseHeadWriter;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;

/**
 * Writes a {@link Refusal} as a response of HTTP/1.1: status, {@code Retry-After}, the RateLimit
 * fields, and a problem as the body; to a call of gRPC-Web in its own form. One per event loop.
 */
final class RefusalWriter {
  private static final byte[] DATE = ascii("Date: ");
  private static final byte[] CONTENT_TYPE =
      ascii("Content-Type: " + ProblemWriter.CONTENT_TYPE + "\r\n");
  private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
  private static final byte[] OK = ascii("HTTP/1.1 200 OK\r\n");
  private static final byte[] RETRY_AFTER = ascii("Retry-After: ");
  private static final byte[] AUTHENTICATE = ascii("WWW-Authenticate: ");
  private static final byte[] CRLF = ascii("\r\n");
  private static final int FIXED_BYTES = 512;

  /** For each reason, by ordinal. */
  private static final byte[][] STATUS_LINES = new byte[RefusalReason.values().length][];

  static {
    for (RefusalReason reason : RefusalReason.values()) {
      int status = reason.httpStatus();
      String phrase = HttpResponseStatus.valueOf(status).reasonPhrase();
      STATUS_LINES[reason.ordinal()] = ascii("HTTP/1.1 " + status + ' ' + phrase + "\r\n");
    }
  }

  private final RateLimitFields rateLimitFields;
  private final ByteBuf body = Unpooled.buffer(1024); // on the heap: it lives as long as its loop
  private final Refusal refusal = new Refusal();
  private final GrpcRefusalWriter calls;
  private final CurrentDate date;

  RefusalWriter(RateLimitFields rateLimitFields, CurrentDate date) {
    this.rateLimitFields = rateLimitFields;
    AnswerSettings answers = rateLimitFields.answers();
    this.calls = new GrpcRefusalWriter(answers.rateLimit(), answers.xRateLimit());
    this.date = date;
  }

  /**
   * The answer to a refused request.
   *
   * @param close whether the connection ends with it.
   * @param http10 whether the client must be told if the connection does not end.
   * @param headMethod whether to leave the body out.
   */
  ByteBuf write(
      ByteBufAllocator allocator,
      Verdict verdict,
      boolean close,
      boolean http10,
      boolean headMethod) {
    refusal.describe(verdict);
    body.clear();
    ProblemWriter.write(body, refusal);

    QuotaPolicy policy = refusal.policy();
    ByteBuf out =
        allocator.directBuffer(FIXED_BYTES + body.readableBytes() + RateLimitFields.bound(policy));
    out.writeBytes(STATUS_LINES[refusal.reason().ordinal()]);
    writeDate(out);
    out.writeBytes(CONTENT_TYPE);
    writeLength(out, body);
    if (refusal.retryAfterSeconds() > 0) {
      out.writeBytes(RETRY_AFTER);
      TextWriter.writeDecimal(out, refusal.retryAfterSeconds());
      out.writeBytes(CRLF);
    }
    if (refusal.challenge() != null) {
      out.writeBytes(AUTHENTICATE);
      ByteBufUtil.writeAscii(out, refusal.challenge());
      out.writeBytes(CRLF);
    }
    rateLimitFields.write(out, policy, refusal.remaining(), refusal.waitSeconds(), true);
    endHead(out, close, http10);
    if (!headMethod) {
      out.writeBytes(body);
    }
    return out;
  }

  /**
   * The answer to a refused call of gRPC-Web.
   *
   * @param type is gRPC-Web's.
   * @param close as in {@link #write}, and so is {@code http10}.
   */
  ByteBuf writeGrpcWeb(
      ByteBufAllocator allocator,
      Verdict verdict,
      GrpcContentType type,
      boolean close,
      boolean http10) {
    int mostBytes = calls.describe(verdict);
    ByteBuf frame = calls.body(type);
    ByteBuf out = allocator.directBuffer(FIXED_BYTES + mostBytes + frame.readableBytes());
    out.writeBytes(OK);
    writeDate(out);
    calls.writeLines(out, type);
    writeLength(out, frame);
    endHead(out, close, http10);
    return out.writeBytes(frame, frame.readerIndex(), frame.readableBytes());
  }

  private void writeDate(ByteBuf out) {
    out.writeBytes(DATE).writeBytes(date.text()).writeBytes(CRLF);
  }

  private static void writeLength(ByteBuf out, ByteBuf content) {
    out.writeBytes(CONTENT_LENGTH);
    TextWriter.writeDecimal(out, content.readableBytes());
    out.writeBytes(CRLF);
  }

  private static void endHead(ByteBuf out, boolean close, boolean http10) {
    if (close) {
      ResponseHeadWriter.addClose(out);
    } else if (http10) {
      ResponseHeadWriter.addKeepAlive(out);
    }
    ResponseHeadWriter.end(out);
  }
}
