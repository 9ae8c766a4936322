package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.downstream.answer.CurrentDate;
import dev.weir.proxy.downstream.answer.GrpcRefusalWriter;
import dev.weir.proxy.downstream.answer.Http2RateLimitFields;
import dev.weir.proxy.downstream.answer.Http2RefusalTemplate;
import dev.weir.proxy.downstream.answer.LimitValues;
import dev.weir.proxy.downstream.answer.RefusalTemplate;
import dev.weir.proxy.downstream.answer.RefusalTemplates;
import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.PassedLimit;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.http2.message.ResponseHeadWriter;
import dev.weir.proxy.http2.message.TrailerWriter;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;

/**
 * Writes the responses to clients' streams: heads and trailers of the service's responses, and
 * whole responses for refused requests, in gRPC's form for gRPC calls. One per event loop.
 */
final class Http2Answers {
  private static final byte[] CONTINUE = new HpackEncoder().add(":status", "100").bytes();

  private final AnswerSettings settings;
  private final ResponseHeadWriter heads = new ResponseHeadWriter();
  private final TrailerWriter trailers = new TrailerWriter();
  private final Http2RateLimitFields rateLimitFields;
  private final RefusalTemplates refusals;
  private final GrpcRefusalWriter calls;

  Http2Answers(AnswerSettings settings, CurrentDate date) {
    this.settings = settings;
    rateLimitFields = new Http2RateLimitFields(settings);
    refusals = new RefusalTemplates(date, () -> new Http2RefusalTemplate(rateLimitFields));
    calls = new GrpcRefusalWriter(settings.rateLimit(), settings.xRateLimit());
  }

  /**
   * Responds to a refused request, if its stream is still open.
   *
   * @param type of the call, if the request is one.
   * @param headMethod whether to leave the body out.
   */
  void refuse(
      Http2Connection connection,
      int stream,
      Verdict verdict,
      GrpcContentType type,
      boolean headMethod) {
    if (!connection.isSending(stream)) {
      return;
    }
    ByteBuf body;
    if (type == GrpcContentType.NONE) {
      RefusalTemplate answer = refusals.answer(verdict);
      answer.writeHead(connection.beginHead(stream));
      body = headMethod ? Unpooled.EMPTY_BUFFER : answer.body();
    } else {
      int mostBytes = calls.describe(verdict);
      calls.writeHead(connection.beginHead(stream).ensureWritable(mostBytes), type);
      body = type.isWeb() ? calls.body(type) : Unpooled.EMPTY_BUFFER;
    }
    connection.endHead(stream, !body.isReadable());
    if (body.isReadable()) {
      sendLast(connection, stream, body);
    }
  }

  /**
   * Ends the response to a gRPC call whose rest is refused.
   *
   * @param type of the call.
   */
  void refuseRest(Http2Connection connection, int stream, Verdict verdict, GrpcContentType type) {
    int mostBytes = calls.describe(verdict);
    if (type.isWeb()) {
      sendLast(connection, stream, calls.body(type));
    } else {
      ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(mostBytes);
      calls.writeTrailers(block);
      connection.sendTrailers(stream, block);
    }
  }

  /** Sends a body whose bytes begin at the start of the buffer's array. */
  private static void sendLast(Http2Connection connection, int stream, ByteBuf body) {
    assert body.arrayOffset() + body.readerIndex() == 0 : "a body that begins elsewhere";
    connection.sendData(stream, body.array(), body.readableBytes(), true);
  }

  /** Sends 100 (Continue). */
  void sayContinue(Http2Connection connection, int stream) {
    connection.sendHead(stream, CONTINUE, false);
  }

  /** Passes on an informational head. */
  void informational(Http2Connection connection, int stream, IncomingResponse head) {
    if (connection.isSending(stream)) {
      ByteBuf out = connection.beginHead(stream);
      heads.write(head, true, out.ensureWritable(ResponseHeadWriter.mostBytes(head)));
      connection.endHead(stream, false);
    }
  }

  /**
   * Passes on the final head, which ends the stream if no content can follow.
   *
   * @param limit for the RateLimit fields.
   */
  void head(Http2Connection connection, int stream, IncomingResponse head, PassedLimit limit) {
    if (!connection.isSending(stream)) {
      return;
    }
    boolean replaces = settings.replaces(limit, head);
    ByteBuf out = connection.beginHead(stream);
    heads.write(head, !replaces, out.ensureWritable(ResponseHeadWriter.mostBytes(head)));
    rateLimitFields.write(
        out,
        limit.policy(),
        limit.remaining(),
        LimitValues.ceilSeconds(limit.resetAfterNs()),
        replaces || head.rateLimitRemaining() < 0,
        limit.state());
    connection.endHead(stream, !head.hasBody());
  }

  /** Passes on that the service accepts a WebSocket: all data from here on belongs to it. */
  void webSocket(Http2Connection connection, int stream, IncomingResponse head) {
    if (connection.isSending(stream)) {
      ByteBuf out = connection.beginHead(stream);
      heads.writeWebSocket(head, out.ensureWritable(ResponseHeadWriter.mostBytes(head)));
      connection.endHead(stream, false);
    }
  }

  /** Passes on trailers, which end the stream. */
  void trailers(Http2Connection connection, int stream, RequestView fields) {
    trailers.send(connection, stream, fields);
  }
}
