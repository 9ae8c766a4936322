package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.ClientSide;
import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.PassedLimit;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.ReceivedContent;
import dev.weir.proxy.http2.StreamEnd;
import dev.weir.proxy.http2.StreamOwner;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.message.RequestHead;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The client's side of a request on an HTTP/2 stream. It belongs to its stream until the exchange
 * has ended; then the event loop reuses it.
 */
final class Http2Exchange implements ClientSide, StreamOwner, TurnEnd.Member {
  /** Informational responses beyond these are not passed on. */
  private static final int MAX_INFORMATIONAL = 8;

  private final Http2ClientLoop loop;
  private final ProxiedRequest request;

  /** The connection of the stream; null while the exchange is unused. */
  private Http2Connection connection;

  private int stream;
  private GrpcContentType type;
  private boolean headMethod;
  private boolean webSocket;
  private boolean isTunnel;
  private int informationalCount;

  /**
   * Whether the end of the turn continues the request with the bytes of the body that have arrived.
   */
  private boolean bodyCame;

  Http2Exchange(Http2ClientLoop loop) {
    this.loop = loop;
    this.request = new ProxiedRequest(loop.requests, this);
  }

  /** Starts the request whose head has been read. */
  void start(Http2Connection ofConnection, int ofStream, RequestHead head) {
    connection = ofConnection;
    stream = ofStream;
    type = head.grpcType();
    headMethod = head.headMethod();
    webSocket = head.webSocket();
    isTunnel = false;
    informationalCount = 0;
    loop.observer.requestStarted(protocol());
    try {
      answer(request.start(head));
    } catch (RuntimeException | Error bug) {
      failed(bug);
    }
    if (connection == null) {
      return;
    }
    if (request.isOfNamedClient()) {
      connection.resetIsFree(stream);
    }
    if (head.hasBody()) {
      request.bodyComesLater();
      giveBodySoon(); // its time begins, though nothing has come
    } else if (webSocket && connection.isRemoteEnded(stream)) {
      dataReceived(Unpooled.EMPTY_BUFFER, 0, 0, true);
    }
  }

  private void giveBodySoon() {
    if (!bodyCame) {
      bodyCame = true;
      loop.connections().turnEnd().join(this);
    }
  }

  @Override
  public int dataReceived(ByteBuf in, int offset, int bytes, boolean endStream) {
    int held = give(in, offset, bytes, endStream);
    if (endStream) {
      giveBody();
    } else {
      giveBodySoon();
    }
    return connection == null ? 0 : held;
  }

  private int give(ByteBuf in, int offset, int bytes, boolean endStream) {
    if (bytes == 0 || !request.copiesBody()) {
      boolean goesOn = request.isForwarding() && request.requestHeldBytes() == 0;
      return request.data(ReceivedContent.take(in, offset, bytes, goesOn), endStream);
    }
    int readerIndex = in.readerIndex();
    int writerIndex = in.writerIndex();
    int held = request.data(in.retain().setIndex(offset, offset + bytes), endStream);
    in.setIndex(readerIndex, writerIndex);
    return held;
  }

  @Override
  public void trailersReceived(FieldBlock fields) {
    if (webSocket) {
      connection.malformed(stream); // a tunnel has none (RFC 9113, section 8.5)
    } else if (fields.tooLarge()) {
      answer(request.abort(RefusalReason.HEAD_TOO_LARGE));
    } else {
      request.requestTrailers(loop.trailers.read(fields));
      giveBody();
    }
  }

  @Override
  public void turnEnded() {
    if (bodyCame) {
      giveBody();
    }
  }

  @Override
  public void giveBody() {
    bodyCame = false;
    try {
      answer(request.bodyRead(false)); // it has been given as it came
    } catch (RuntimeException | Error bug) {
      failed(bug);
    }
  }

  @Override
  public void cancelled(StreamEnd how, int errorCode) {
    request.clientGone(how == StreamEnd.PEER_RESET ? errorCode : RequestEnd.NO_CODE);
    release();
  }

  @Override
  public void bytesSent(int bytes) {
    request.responseConsumed(bytes);
  }

  @Override
  public Protocol protocol() {
    return Http2ClientLoop.protocol(type);
  }

  @Override
  public void headWaits(int bytes) {
    connection.holdBeside(stream, bytes);
  }

  @Override
  public void requestConsumed(int bytes) {
    connection.credit(stream, bytes);
  }

  @Override
  public void brokeOff() {
    connection.brokenOff(stream);
  }

  @Override
  public void refuse(Verdict verdict) {
    answer(verdict);
  }

  private void answer(Verdict refusal) {
    if (refusal != null) {
      loop.answers.refuse(connection, stream, refusal, type, headMethod);
      release();
    }
  }

  @Override
  public void sayContinue() {
    loop.answers.sayContinue(connection, stream);
  }

  @Override
  public int informational(IncomingResponse head) {
    if (informationalCount < MAX_INFORMATIONAL) {
      informationalCount++;
      loop.answers.informational(connection, stream, head);
    }
    return 0;
  }

  @Override
  public void switched(IncomingResponse head) {
    isTunnel = true;
    connection.becomeTunnel(stream);
    loop.answers.webSocket(connection, stream, head);
  }

  @Override
  public BodyForm responseHead(IncomingResponse head, PassedLimit limit, boolean wantsContent) {
    loop.answers.head(connection, stream, head, limit);
    return BodyForm.DATA;
  }

  @Override
  public int responseData(ByteBuf bytes, boolean end) {
    return connection.sendData(stream, bytes, end);
  }

  @Override
  public boolean copiesData() {
    return true;
  }

  @Override
  public void responseTrailers(RequestView fields) {
    loop.answers.trailers(connection, stream, fields);
  }

  @Override
  public void flushResponse() {
    // All that was written goes out at the end of the turn.
  }

  @Override
  public void ended() {
    release();
  }

  @Override
  public void reset(RequestEnd.How how, int errorCode) {
    connection.reset(stream, saysWhy(errorCode) ? errorCode : code(how));
    release();
  }

  /**
   * Whether a reset must have an error code: without one some clients take a truncated response as
   * complete, or wait.
   */
  private static boolean saysWhy(int errorCode) {
    return errorCode != RequestEnd.NO_CODE && errorCode != ErrorCode.NO_ERROR;
  }

  /** Ends a gRPC call with a status; resets any other response. */
  @Override
  public void refuseRest(Verdict verdict) {
    if (type == GrpcContentType.NONE) {
      reset(RequestEnd.How.REFUSED_HERE, RequestEnd.NO_CODE);
    } else {
      loop.answers.refuseRest(connection, stream, verdict, type);
      release();
    }
  }

  private int code(RequestEnd.How how) {
    if (isTunnel) {
      return ErrorCode.CANCEL; // as a connection is reset (RFC 8441, section 5)
    }
    return switch (how) {
      case TIMED_OUT -> ErrorCode.CANCEL;
      case COMPLETE, CLIENT_GONE, SERVICE_GONE, REFUSED_HERE, UPGRADED_AND_CLOSED ->
          ErrorCode.INTERNAL_ERROR;
    };
  }

  /**
   * Ends the request after an unexpected exception, and no other request of its connection. The
   * exchange is not reused.
   */
  @Override
  public void failed(Throwable bug) {
    InternalErrors.caught("a request of HTTP/2", bug);
    if (connection != null) {
      Http2Connection failing = connection;
      connection = null;
      bodyCame = false;
      failing.reset(stream, ErrorCode.INTERNAL_ERROR);
      failing.release(stream);
      request.clientGone(ErrorCode.INTERNAL_ERROR);
    }
  }

  /** Stops the exchange from being reused. */
  void leave() {
    request.leave();
  }

  /** The exchange has ended. */
  private void release() {
    Http2Connection served = connection;
    connection = null;
    bodyCame = false;
    served.release(stream);
    loop.give(this);
  }
}
