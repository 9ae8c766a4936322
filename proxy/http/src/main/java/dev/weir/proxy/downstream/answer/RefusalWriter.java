package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http1.ResponseHeadWriter;
import dev.weir.proxy.request.TextWriter;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Writes a {@link Refusal} as an HTTP/1.1 response: status, {@code Retry-After}, the RateLimit
 * fields, and a problem as the body; or in gRPC-Web's form for a gRPC-Web call. One per event loop.
 */
public final class RefusalWriter {
  private static final byte[] DATE = ascii("Date: ");
  private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
  private static final byte[] OK = ascii("HTTP/1.1 200 OK\r\n");
  private static final byte[] CRLF = ascii("\r\n");

  /** The most bytes of a head's last lines. */
  private static final int ENDING_BYTES = 32;

  /** The most bytes of the fixed parts in the head of a response to a call. */
  private static final int FIXED_BYTES = 512;

  private final RefusalTemplates templates;
  private final GrpcRefusalWriter calls;
  private final CurrentDate date;

  public RefusalWriter(RateLimitFields rateLimitFields, CurrentDate date) {
    AnswerSettings answers = rateLimitFields.answers();
    this.templates = new RefusalTemplates(date, () -> new Http1RefusalTemplate(rateLimitFields));
    this.calls = new GrpcRefusalWriter(answers.rateLimit(), answers.xRateLimit());
    this.date = date;
  }

  /**
   * The response to a refused request.
   *
   * @param close whether the connection ends with it.
   * @param http10 whether an HTTP/1.0 client must be told that the connection stays open.
   * @param headMethod whether to leave the body out.
   */
  public ByteBuf write(
      ByteBufAllocator allocator,
      Verdict verdict,
      boolean close,
      boolean http10,
      boolean headMethod) {
    RefusalTemplate answer = templates.answer(verdict);
    ByteBuf out =
        allocator.directBuffer(answer.headBytes() + ENDING_BYTES + answer.body().readableBytes());
    answer.writeHead(out);
    endHead(out, close, http10);
    if (!headMethod) {
      answer.writeBody(out);
    }
    return out;
  }

  /**
   * The response to a refused gRPC-Web call.
   *
   * @param type is gRPC-Web's.
   * @param close as in {@link #write}, and so is {@code http10}.
   */
  public ByteBuf writeGrpcWeb(
      ByteBufAllocator allocator,
      Verdict verdict,
      GrpcContentType type,
      boolean close,
      boolean http10) {
    int mostBytes = calls.describe(verdict);
    ByteBuf frame = calls.body(type);
    ByteBuf out = allocator.directBuffer(FIXED_BYTES + mostBytes + frame.readableBytes());
    out.writeBytes(OK);
    out.writeBytes(DATE).writeBytes(date.text()).writeBytes(CRLF);
    calls.writeLines(out, type);
    out.writeBytes(CONTENT_LENGTH);
    TextWriter.writeDecimal(out, frame.readableBytes());
    out.writeBytes(CRLF);
    endHead(out, close, http10);
    return out.writeBytes(frame, frame.readerIndex(), frame.readableBytes());
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
