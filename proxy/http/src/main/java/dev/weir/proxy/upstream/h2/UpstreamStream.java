package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.exchange.ServiceSide;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.StreamEnd;
import dev.weir.proxy.http2.message.ResponseHead;
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
 */
final class UpstreamStream implements ServiceSide {
  /** Informational responses to one request, before the final one. */
  private static final int MAX_INFORMATIONAL = 8;

  /** From here on content is handed on in its memory, and not copied. */
  private static final int MIN_SLICE_BYTES = 4096;

  private final Http2Pool pool;
  private final ServiceWait wait;
  private final ReplayBuffer kept = new ReplayBuffer();

  private ProxiedRequest request;
  private long client;
  private Http2Upstream connection;
  private int stream;

  private boolean headMethod;

  /** Since when it has its stream. */
  private long openedNs;

  /** Whether it counts among the {@link LongStreams}. */
  private boolean isLong;

  /** Whether a WebSocket is asked for, and whether the service has agreed to it. */
  private boolean asksForWebSocket;

  private boolean isTunnel;
  private boolean requestEnded;
  private boolean responseStarted;
  private boolean responseEnded;
  private boolean isSentAgain;
  private boolean isSilentBetweenReads;
  private int informationalCount;

  /** Bytes of the request that wait for a window, and of the response that the client holds. */
  private int requestHeldBytes;

  private int responseHeldBytes;

  /** Of the former, bytes that are sent again: the client has been told that they are consumed. */
  private int heldAgainBytes;

  /** Whether the request's side is calling, and is told by its call of what fails. */
  private boolean isCalled;

  private RefusalReason failure;

  /** The next call that has told its client something in this turn; see {@link Http2Pool}. */
  UpstreamStream nextTold;

  boolean isTold;

  UpstreamStream(Http2Pool pool) {
    this.pool = pool;
    wait =
        new ServiceWait(pool.loop()) {
          @Override
          protected void onDeadline() {
            connection.overdue(sinceNs());
            fail(RefusalReason.UPSTREAM_TIMEOUT, RequestEnd.NO_CODE);
          }
        };
    pool.loop().deadlines().join(wait);
  }

  /** Starts with a request that asks for a stream. */
  void start(ProxiedRequest newRequest, long ofClient) {
    request = newRequest;
    client = ofClient;
    connection = null;
    failure = null;
    requestEnded = false;
    responseStarted = false;
    responseEnded = false;
    asksForWebSocket = newRequest.encoded().webSocket();
    isTunnel = false;
    isSentAgain = false;
    isSilentBetweenReads = false;
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

  /** Whether the request has been sent before, and waits to be sent once more. */
  boolean isSentAgain() {
    return isSentAgain;
  }

  /** Whether a WebSocket is asked for. */
  boolean asksForWebSocket() {
    return asksForWebSocket;
  }

  /** The request no longer waits for a stream. */
  void forgotten() {
    request = null;
    leave();
  }

  /** It has a stream now. */
  void opened(Http2Upstream on, int openedStream) {
    connection = on;
    stream = openedStream;
    openedNs = nowNs();
  }

  /** Whether it counts among those that last. */
  boolean isLong() {
    return isLong;
  }

  void isLong(boolean lasts) {
    isLong = lasts;
  }

  /** Whether it has had its stream for so long that it counts among those that last. */
  boolean hasLasted() {
    return LongStreams.haveLasted(openedNs, nowNs());
  }

  @Override
  public boolean head(EncodedHead head) {
    isCalled = true;
    if (!head.isBlock()) {
      fail(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE); // it spoke HTTP/1.1 when asked
      return called();
    }
    headMethod = head.headMethod();
    requestEnded = !head.hasBody();
    if (mayAsk()) {
      kept.head(pool.messages().finish(head), requestEnded && !asksForWebSocket);
      kept.sendHead(connection, stream);
      awaitService();
    }
    return called();
  }

  /** Fails, where a WebSocket is asked for, if the service has not said that it takes any. */
  private boolean mayAsk() {
    boolean may = !asksForWebSocket || connection.peerSettings().allowsConnectProtocol();
    if (!may) {
      fail(RefusalReason.UPSTREAM_NO_WEBSOCKET, RequestEnd.NO_CODE);
    }
    return may;
  }

  @Override
  public int data(ByteBuf bytes, boolean end) {
    isCalled = true;
    requestEnded |= end;
    kept.add(bytes, end);
    if (connection == null) {
      bytes.release(); // it is kept, or the call has failed
      if (!kept.isWhole()) {
        fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
      }
      return called() ? 0 : GONE;
    }
    int held = connection.sendData(stream, bytes, end);
    if (isTunnel && requestEnded && responseEnded) {
      request = null;
      leave(); // what waits is sent in its own time
      return called() ? 0 : GONE;
    }
    requestHeldBytes += held;
    awaitService();
    return called() ? held : GONE;
  }

  @Override
  public boolean copiesData() {
    return true;
  }

  @Override
  public boolean trailers(RequestView fields) {
    isCalled = true;
    requestEnded = true;
    kept.forgetBody();
    if (connection == null) {
      fail(RefusalReason.UPSTREAM_BUSY, RequestEnd.NO_CODE);
    } else {
      ByteBuf block = pool.messages().trailers(fields);
      if (block != null) {
        connection.sendTrailers(stream, block);
      } else {
        connection.sendData(stream, Unpooled.EMPTY_BUFFER, true);
      }
      awaitService();
    }
    return called();
  }

  /** Sends what was kept once more. */
  void sendAgain() {
    if (mayAsk()) {
      heldAgainBytes = kept.send(connection, stream);
      requestHeldBytes += heldAgainBytes;
      awaitService();
    }
  }

  @Override
  public boolean flush() {
    return failure == null; // all of it goes out at the end of the turn
  }

  private boolean called() {
    isCalled = false;
    return failure == null;
  }

  @Override
  public RefusalReason failure() {
    return failure;
  }

  @Override
  public void responseConsumed(int bytes) {
    responseHeldBytes -= bytes;
    connection.credit(stream, bytes);
    awaitService();
  }

  /**
   * Gives the service its time anew where it is the service that is waited for: it has the whole
   * request, or does not take what there is of it.
   */
  private void awaitService() {
    wait.beginAnew(
        connection != null
            && !isTunnel
            && responseHeldBytes == 0
            && !(responseStarted && isSilentBetweenReads)
            && (requestEnded || requestHeldBytes > 0));
    if (wait.isOn() && !responseStarted) {
      connection.awaited(wait.sinceNs());
    }
  }

  /**
   * Since when the service is waited for, which has answered nothing; {@link Long#MIN_VALUE} if it
   * is not.
   */
  long waitsSinceNs() {
    return wait.isOn() && !responseStarted ? wait.sinceNs() : Long.MIN_VALUE;
  }

  @Override
  public void reset(RequestEnd.How how, int errorCode) {
    if (how == RequestEnd.How.TIMED_OUT && connection != null && requestEnded && !responseStarted) {
      connection.overdue(wait.sinceNs()); // while it has its stream
    }
    request = null;
    cancel(errorCode == RequestEnd.NO_CODE ? ErrorCode.CANCEL : errorCode);
  }

  /** Some of the request that waited has gone out. */
  void bytesSent(int bytes) {
    requestHeldBytes -= bytes;
    awaitService();
    int again = Math.min(bytes, heldAgainBytes);
    heldAgainBytes -= again;
    if (bytes > again) {
      request.requestConsumed(bytes - again);
    }
  }

  /** A head has come; false if it is none that may be passed on. */
  boolean headReceived(ResponseHead head, boolean ended) {
    if (head.informational()) {
      awaitService();
      return ++informationalCount <= MAX_INFORMATIONAL && informational(head);
    }
    kept.discard();
    responseStarted = true;
    if (agreesToWebSocket(head)) {
      switched(head, ended);
      return true;
    }
    isSilentBetweenReads = GrpcContentType.of(head.fields()) == GrpcContentType.GRPC;
    awaitService();
    pool.told(this);
    request.responseHead(head);
    if (ended && request != null) {
      complete().responseData(Unpooled.EMPTY_BUFFER, true);
    }
    return true;
  }

  /** Whether what follows the head is the tunnel's. */
  boolean agreesToWebSocket(ResponseHead head) {
    return asksForWebSocket && head.agrees();
  }

  private void switched(ResponseHead head, boolean ended) {
    isTunnel = true;
    requestEnded = false;
    awaitService();
    pool.told(this);
    request.switched(head);
    if (ended && request != null) {
      tunnelReceived(Unpooled.EMPTY_BUFFER, true);
    }
  }

  /** Takes over {@code bytes} of the tunnel, and returns how many of them are held. */
  private int tunnelReceived(ByteBuf bytes, boolean ended) {
    ProxiedRequest served = request;
    responseEnded = ended;
    pool.told(this);
    if (ended && requestEnded) {
      request = null;
      leave();
    }
    int held = served.responseData(bytes, ended);
    if (request == null) {
      return 0;
    }
    responseHeldBytes += held;
    return held;
  }

  private boolean informational(ResponseHead head) {
    pool.told(this);
    request.informational(head); // no window counts it, and there are few
    return true;
  }

  /** Whether the method is HEAD, whose response has no content. */
  boolean headMethod() {
    return headMethod;
  }

  /** Whether the final head has come. */
  boolean responseStarted() {
    return responseStarted;
  }

  /** Some content has come, and how much of it is held is returned. */
  int dataReceived(ByteBuf in, int offset, int bytes, boolean ended) {
    if (isTunnel) {
      return tunnelReceived(content(in, offset, bytes), ended);
    }
    if (bytes == 0 || !request.copiesResponse()) {
      return dataReceived(content(in, offset, bytes), ended);
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
    pool.told(this);
    int held = request.responseData(content, false);
    if (request != null) {
      responseHeldBytes += held;
      awaitService();
    }
    return held;
  }

  private static ByteBuf content(ByteBuf in, int offset, int bytes) {
    if (bytes == 0) {
      return Unpooled.EMPTY_BUFFER;
    }
    return bytes < MIN_SLICE_BYTES
        ? in.alloc().directBuffer(bytes).writeBytes(in, offset, bytes)
        : in.retainedSlice(offset, bytes);
  }

  void trailersReceived(RequestView fields) {
    if (isTunnel) {
      malformed();
    } else {
      complete().responseTrailers(fields);
    }
  }

  /** The response is whole: what happens to the stream is settled before the request goes on. */
  private ProxiedRequest complete() {
    ProxiedRequest served = request;
    request = null;
    if (connection.isSending(stream)) {
      connection.reset(stream, ErrorCode.NO_ERROR); // the rest of the request, nobody wants
    }
    leave();
    return served;
  }

  private long nowNs() {
    return pool.loop().clock().nowNs();
  }

  /** Passes on what the client has been told in this turn. */
  void flushResponse() {
    if (request != null) {
      request.flushResponse();
    }
  }

  /** The stream has ended before its time. */
  void streamEnded(StreamEnd how, int errorCode) {
    boolean isUntouched =
        how == StreamEnd.UNPROCESSED
            || how == StreamEnd.CONNECTION_LOST && kept.isUnsent(connection);
    if (isUntouched && !isSentAgain && !responseStarted && kept.isWhole() && !isCalled) {
      retry();
      return;
    }
    switch (how) {
      case UNPROCESSED ->
          fail(
              responseStarted ? RefusalReason.UPSTREAM_MALFORMED : RefusalReason.UPSTREAM_BUSY,
              ErrorCode.INTERNAL_ERROR); // never that nothing was looked at: it is charged for
      case PEER_RESET -> {
        if (isTunnel && responseEnded && errorCode == ErrorCode.NO_ERROR) {
          wantsNoMore();
        } else {
          fail(RefusalReason.UPSTREAM_CLOSED, errorCode);
        }
      }
      case FAULT -> fail(RefusalReason.UPSTREAM_MALFORMED, ErrorCode.INTERNAL_ERROR);
      case STALLED -> fail(RefusalReason.UPSTREAM_TIMEOUT, ErrorCode.CANCEL);
      case UNTAKEN -> fail(RefusalReason.UPSTREAM_TIMEOUT, ErrorCode.CANCEL); // by its client
      case UNREAD -> fail(RefusalReason.UPSTREAM_TIMEOUT, ErrorCode.CANCEL);
      case CONNECTION_LOST -> fail(RefusalReason.UPSTREAM_CLOSED, RequestEnd.NO_CODE);
    }
  }

  /** The service has ended its side of the tunnel, and takes no more (RFC 9113, section 8.1). */
  private void wantsNoMore() {
    ProxiedRequest served = request;
    request = null;
    leave();
    served.serviceWantsNoMore();
  }

  private void retry() {
    isSentAgain = true;
    wait.end();
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

  /** The service has sent what nobody may pass on. */
  void malformed() {
    fail(RefusalReason.UPSTREAM_MALFORMED, ErrorCode.INTERNAL_ERROR);
  }

  /** The exchange has ended; whoever is calling is told by its call. */
  void fail(RefusalReason reason, int errorCode) {
    ProxiedRequest failed = request;
    if (failed == null) {
      return;
    }
    request = null;
    failure = reason;
    boolean isTold = isCalled;
    cancel(ErrorCode.CANCEL);
    if (!isTold) {
      failed.serviceReset(reason, errorCode);
    }
  }

  /** Resets the stream, if it is not over, and ends. */
  private void cancel(int errorCode) {
    if (connection != null) {
      connection.reset(stream, errorCode);
    }
    leave();
  }

  /** It serves no other request. */
  void forget() {
    wait.leave();
  }

  /** Leaves the stream, or the wait for one, and ends. */
  void leave() {
    wait.end();
    kept.discard();
    if (connection != null) {
      leaveStream();
    }
    pool.ended(this);
  }

  private void leaveStream() {
    Http2Upstream left = connection;
    connection = null;
    left.release(stream);
    boolean keepsPlace = left.isResetUnseen(stream);
    if (keepsPlace) {
      left.keepPlace(stream, client);
    }
    pool.streamLeft(this, keepsPlace);
  }
}
