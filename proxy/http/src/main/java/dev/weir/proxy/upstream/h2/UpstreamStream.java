package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.exchange.ServiceSide;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.ReceivedContent;
import dev.weir.proxy.http2.StreamEnd;
import dev.weir.proxy.http2.StreamOwner;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.message.ResponseHead;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * One exchange with a service of HTTP/2: a stream of one of its connections, or the wait for one.
 * Pooled by its {@link Http2Pool}, and used again once its exchange has ended on both sides.
 *
 * <p>An exchange that the service has not looked at (RFC 9113, section 8.7) is sent once more, on
 * another stream, if nothing was answered and all that was sent is still kept.
 *
 * <pre>
 * state          | connection | next
 * WAITING        | none       | SENT: there is a stream
 * SENT           | has one    | ANSWERED, STREAMING, TUNNEL: by the final head
 *                |            | WAITING_AGAIN: the service has not looked at it
 * WAITING_AGAIN  | none       | SENT_AGAIN: there is another stream
 * SENT_AGAIN     | has one    | as SENT, but not a third time
 * ANSWERED       | has one    | IDLE: by the end of the response
 * STREAMING      | has one    | IDLE: by the end of the response
 * TUNNEL         | has one    | SERVICE_ENDED: by the end of the service's side
 * SERVICE_ENDED  | has one    | IDLE: by the end of the client's side
 * any            |            | IDLE: by a failure, a reset of either side, or the client's leaving
 * IDLE           | none       | WAITING: a request takes it
 * </pre>
 */
final class UpstreamStream implements ServiceSide, StreamOwner, TurnEnd.Member {
  /** The most informational responses before the final one. */
  private static final int MAX_INFORMATIONAL = 8;

  private enum State {
    IDLE,

    /** The request waits for a stream. */
    WAITING,

    /** The head is sent, or about to be; no final head has arrived. */
    SENT,

    /** The request waits for a second stream. */
    WAITING_AGAIN,

    /** The head is sent on the second stream, or about to be. */
    SENT_AGAIN,

    /** The final head has arrived. */
    ANSWERED,

    /** The final head of a gRPC call has arrived: its messages may be far apart. */
    STREAMING,

    /** The service has accepted a WebSocket. */
    TUNNEL,

    /** The service has ended its side of the tunnel. */
    SERVICE_ENDED
  }

  private final Http2Pool pool;
  private final Http2UpstreamLoop http2Loop;
  private final ReplayBuffer kept = new ReplayBuffer();

  /** The deadline of the service. */
  private final Deadlines.Timer wait = new Deadlines.Timer(this::timedOut);

  private State state = State.IDLE;
  private ProxiedRequest request;
  private long client;
  private Http2Upstream connection;
  private int stream;

  /** When it got its stream. */
  private long openedNs;

  /** Whether the pool counts it as long-lived. */
  boolean isLong;

  private boolean headMethod;
  private boolean asksForWebSocket;
  private boolean requestEnded;
  private int informationalCount;

  /** Whether the exchange waits for the service, and since when. */
  private boolean waitsForService;

  private long waitsSinceNs;

  /** Bytes of the request that wait for a window, and of the response that the client holds. */
  private int requestHeldBytes;

  private int responseHeldBytes;

  /** Held bytes of the request that are sent again, and that the client knows as consumed. */
  private int heldAgainBytes;

  /** Whether it is flushed when the turn ends: it has passed something to its client. */
  private boolean inTurn;

  UpstreamStream(Http2Pool pool) {
    this.pool = pool;
    http2Loop = pool.http2Loop;
    http2Loop.upstream.deadlines().join(wait);
  }

  private void timedOut() {
    connection.health.overdue(waitsSinceNs, http2Loop.nowNs());
    fail(RefusalReason.UPSTREAM_TIMEOUT, RequestEnd.NO_CODE);
  }

  /** Starts with a request that needs a stream. */
  void start(ProxiedRequest newRequest, long ofClient) {
    state = State.WAITING;
    request = newRequest;
    client = ofClient;
    connection = null;
    requestEnded = false;
    asksForWebSocket = newRequest.encoded().webSocket();
    informationalCount = 0;
    requestHeldBytes = 0;
    responseHeldBytes = 0;
    heldAgainBytes = 0;
  }

  ProxiedRequest request() {
    return request;
  }

  long client() {
    return client;
  }

  /** Whether a WebSocket is asked for. */
  boolean asksForWebSocket() {
    return asksForWebSocket;
  }

  /** Whether the method is HEAD, whose response has no content. */
  boolean headMethod() {
    return headMethod;
  }

  /** When it got its stream. */
  long openedNs() {
    return openedNs;
  }

  private boolean isUnanswered() {
    return state == State.SENT || state == State.SENT_AGAIN;
  }

  private boolean isTunnel() {
    return state == State.TUNNEL || state == State.SERVICE_ENDED;
  }

  /** The request no longer waits for a stream. */
  void forgotten() {
    request = null;
    leave();
  }

  /** Passes the waiting request to the pool of HTTP/1.1, which the service speaks. */
  void handOver() {
    if (state == State.WAITING_AGAIN) {
      fail(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE); // HTTP/1.1 keeps none
    } else {
      ProxiedRequest waiting = request;
      long ofClient = client;
      forgotten();
      http2Loop.alpn.openHttp1(waiting, ofClient);
    }
  }

  void opened(Http2Upstream on, int openedStream) {
    state = state == State.WAITING_AGAIN ? State.SENT_AGAIN : State.SENT;
    connection = on;
    stream = openedStream;
    openedNs = http2Loop.nowNs();
  }

  /** Sends the request, which has waited for its stream. */
  void begin() {
    if (state == State.SENT) {
      request.opened(this);
    } else if (mayAsk()) {
      heldAgainBytes = kept.send(connection.http2, stream);
      requestHeldBytes += heldAgainBytes;
      awaitService();
    }
  }

  @Override
  public void head(EncodedHead head) {
    if (!head.isBlock()) {
      fail(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE); // it spoke HTTP/1.1 when asked
      return;
    }
    headMethod = head.headMethod();
    requestEnded = !head.hasBody();
    if (mayAsk()) {
      kept.head(http2Loop.messages.finish(head), requestEnded && !asksForWebSocket);
      kept.sendHead(connection.http2, stream);
      awaitService();
    }
  }

  /** Fails a request for a WebSocket if the service has not announced that it takes any. */
  private boolean mayAsk() {
    boolean may = !asksForWebSocket || connection.http2.peerSettings().allowsConnectProtocol();
    if (!may) {
      fail(RefusalReason.UPSTREAM_NO_WEBSOCKET, RequestEnd.NO_CODE);
    }
    return may;
  }

  @Override
  public int data(ByteBuf bytes, boolean end) {
    requestEnded |= end;
    kept.add(bytes, end);
    if (connection == null) {
      bytes.release(); // it is kept, or the exchange has failed
      if (!kept.isWhole()) {
        fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
      }
      return 0;
    }
    int held = connection.http2.sendData(stream, bytes, end);
    if (state == State.SERVICE_ENDED && requestEnded) {
      request = null;
      leave(); // what waits is sent in its own time
      return 0;
    }
    requestHeldBytes += held;
    awaitService();
    return held;
  }

  @Override
  public boolean copiesData() {
    return true;
  }

  @Override
  public void trailers(RequestView fields) {
    requestEnded = true;
    kept.forgetBody();
    if (connection == null) {
      fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
    } else {
      http2Loop.messages.sendTrailers(connection.http2, stream, fields);
      awaitService();
    }
  }

  @Override
  public void flush() {
    // All of it goes out at the end of the turn.
  }

  @Override
  public void responseConsumed(int bytes) {
    responseHeldBytes -= bytes;
    connection.http2.credit(stream, bytes);
    awaitService();
  }

  /**
   * Restarts the service's time if the exchange waits for the service: it has the whole request, or
   * does not read what there is of it.
   */
  private void awaitService() {
    waitsSinceNs = http2Loop.nowNs();
    waitsForService =
        connection != null
            && (isUnanswered() || state == State.ANSWERED)
            && responseHeldBytes == 0
            && (requestEnded || requestHeldBytes > 0);
    if (!waitsForService) {
      wait.until(Deadlines.NEVER);
      return;
    }
    wait.until(waitsSinceNs + http2Loop.upstream.settings().timeouts().responseNs());
    if (isUnanswered()) {
      connection.health.awaited(waitsSinceNs);
    }
  }

  /**
   * Since when the service, without a response so far, is waited for; {@link Long#MIN_VALUE} if it
   * is not.
   */
  long waitsSinceNs() {
    return waitsForService && isUnanswered() ? waitsSinceNs : Long.MIN_VALUE;
  }

  @Override
  public void reset(RequestEnd.How how, int errorCode) {
    if (how == RequestEnd.How.TIMED_OUT && requestEnded && isUnanswered()) {
      connection.health.overdue(waitsSinceNs, http2Loop.nowNs()); // while it has its stream
    }
    request = null;
    cancel(errorCode == RequestEnd.NO_CODE ? ErrorCode.CANCEL : errorCode);
  }

  @Override
  public void bytesSent(int bytes) {
    requestHeldBytes -= bytes;
    awaitService();
    int again = Math.min(bytes, heldAgainBytes);
    heldAgainBytes -= again;
    if (bytes > again) {
      request.requestConsumed(bytes - again);
    }
  }

  /** Takes a head; false if it may not be passed on. */
  boolean headReceived(ResponseHead head, boolean ended) {
    if (head.informational()) {
      awaitService();
      return ++informationalCount <= MAX_INFORMATIONAL && informational(head);
    }
    kept.discard();
    if (agreesToWebSocket(head)) {
      switched(head, ended);
      return true;
    }
    state =
        GrpcContentType.of(head.fields()) == GrpcContentType.GRPC
            ? State.STREAMING
            : State.ANSWERED;
    awaitService();
    told();
    request.responseHead(head);
    if (ended && request != null) {
      complete().responseData(Unpooled.EMPTY_BUFFER, true);
    }
    return true;
  }

  /** Whether a head accepts a WebSocket. */
  boolean agreesToWebSocket(ResponseHead head) {
    return asksForWebSocket && head.agrees();
  }

  private boolean informational(ResponseHead head) {
    told();
    request.informational(head); // no window counts it, and there are few
    return true;
  }

  private void switched(ResponseHead head, boolean ended) {
    state = State.TUNNEL;
    requestEnded = false;
    awaitService();
    told();
    request.switched(head);
    if (ended && request != null) {
      tunnelReceived(Unpooled.EMPTY_BUFFER, true);
    }
  }

  /** Passes on {@code bytes} of the tunnel, and returns how many of them are held. */
  private int tunnelReceived(ByteBuf bytes, boolean ended) {
    ProxiedRequest served = request;
    told();
    if (ended) {
      state = State.SERVICE_ENDED;
      if (requestEnded) {
        request = null;
        leave();
      }
    }
    int held = served.responseData(bytes, ended);
    if (request == null) {
      return 0;
    }
    responseHeldBytes += held;
    return held;
  }

  @Override
  public int dataReceived(ByteBuf in, int offset, int bytes, boolean ended) {
    connection.answered();
    if (isTunnel()) {
      return tunnelReceived(ReceivedContent.take(in, offset, bytes, true), ended);
    }
    if (bytes == 0 || !request.copiesResponse()) {
      return dataReceived(ReceivedContent.take(in, offset, bytes, true), ended);
    }
    int readerIndex = in.readerIndex();
    int writerIndex = in.writerIndex();
    int held = dataReceived(in.retain().setIndex(offset, offset + bytes), ended);
    in.setIndex(readerIndex, writerIndex);
    return held;
  }

  private int dataReceived(ByteBuf content, boolean ended) {
    if (ended) {
      complete().responseData(content, true);
      return 0;
    }
    told();
    int held = request.responseData(content, false);
    if (request != null) {
      responseHeldBytes += held;
      awaitService();
    }
    return held;
  }

  @Override
  public void trailersReceived(FieldBlock fields) {
    RequestView trailers = http2Loop.messages.head().readTrailers(fields);
    if (trailers == null || isTunnel()) {
      malformed();
    } else {
      complete().responseTrailers(trailers);
    }
  }

  /** The response is complete: settles the stream before the request goes on. */
  private ProxiedRequest complete() {
    ProxiedRequest served = request;
    request = null;
    if (connection.http2.isSending(stream)) {
      connection.http2.reset(stream, ErrorCode.NO_ERROR); // the rest of the request, nobody wants
    }
    leave();
    return served;
  }

  /** Something is passed to the client, which is not the end: it is sent when the turn ends. */
  private void told() {
    if (!inTurn) {
      inTurn = true;
      http2Loop.turn.flushAtEnd(this);
    }
  }

  @Override
  public void turnEnded() {
    inTurn = false;
    if (request != null) {
      request.flushResponse();
    }
  }

  @Override
  public void cancelled(StreamEnd how, int errorCode) {
    if (!connection.streamEnded(how, errorCode)) {
      malformed();
      return;
    }
    boolean isUntouched =
        how == StreamEnd.UNPROCESSED
            || how == StreamEnd.CONNECTION_LOST && kept.isUnsent(connection.http2);
    if (isUntouched && state == State.SENT && kept.isWhole() && !request.isCallingService()) {
      retry();
      return;
    }
    switch (how) {
      case UNPROCESSED ->
          fail(
              isUnanswered() ? RefusalReason.UPSTREAM_BUSY : RefusalReason.UPSTREAM_MALFORMED,
              ErrorCode.INTERNAL_ERROR); // never that nothing was looked at: it is charged for
      case PEER_RESET -> {
        if (state == State.SERVICE_ENDED && errorCode == ErrorCode.NO_ERROR) {
          wantsNoMore();
        } else {
          fail(RefusalReason.UPSTREAM_CLOSED, errorCode);
        }
      }
      case FAULT -> malformed();
      case STALLED, UNTAKEN -> fail(RefusalReason.UPSTREAM_TIMEOUT, ErrorCode.CANCEL);
      case UNREAD -> {
        http2Loop.resets.sendApart(client, http2Loop.nowNs());
        fail(RefusalReason.UPSTREAM_TIMEOUT, ErrorCode.CANCEL);
      }
      case CONNECTION_LOST -> fail(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE);
    }
  }

  /**
   * The service has ended its side of the tunnel, and takes no more bytes (RFC 9113, section 8.1).
   */
  private void wantsNoMore() {
    ProxiedRequest served = request;
    request = null;
    leave();
    served.serviceWantsNoMore();
  }

  private void retry() {
    state = State.WAITING_AGAIN;
    waitForNothing();
    int consumed = requestHeldBytes;
    requestHeldBytes = 0;
    leaveStream();
    if (consumed > 0) {
      request.requestConsumed(consumed);
    }
    if (request != null) {
      pool.sendAgain(this);
    }
  }

  /** Ends the exchange, as the service's message is malformed. */
  void malformed() {
    fail(RefusalReason.UPSTREAM_MALFORMED, ErrorCode.INTERNAL_ERROR);
  }

  /** Ends the exchange. */
  void fail(RefusalReason reason, int errorCode) {
    ProxiedRequest failed = request;
    if (failed == null) {
      return;
    }
    request = null;
    cancel(ErrorCode.CANCEL);
    failed.serviceReset(reason, errorCode);
  }

  /** Resets the stream, unless it has ended, and ends the exchange. */
  private void cancel(int errorCode) {
    if (connection != null) {
      connection.http2.reset(stream, errorCode);
    }
    leave();
  }

  /** Stops this object from being reused. */
  void leaveLoop() {
    wait.leave();
  }

  /** Leaves the stream, or the queue, and ends the exchange. */
  private void leave() {
    waitForNothing();
    kept.discard();
    if (connection != null) {
      leaveStream();
    }
    if (state == State.WAITING_AGAIN) {
      pool.waitsNoMore(this);
    }
    state = State.IDLE;
    pool.ended(this);
  }

  private void waitForNothing() {
    waitsForService = false;
    wait.until(Deadlines.NEVER);
  }

  private void leaveStream() {
    Http2Upstream left = connection;
    connection = null;
    left.http2.release(stream);
    boolean keepsPlace = left.http2.isResetUnseen(stream);
    if (keepsPlace) {
      left.keepPlace(stream, client);
    }
    pool.streamLeft(this, keepsPlace);
  }
}
