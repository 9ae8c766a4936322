package dev.weir.proxy.upstream;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.exchange.ServiceSide;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.InboundHandler;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Resets;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.upstream.ConnectionCounts.Use;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * One HTTP/1.1 connection to a service, with one exchange at a time. It is reused only if the
 * exchange ended exactly where its framing said; after anything else it is closed, so that no byte
 * of one response can be taken for another's.
 */
final class UpstreamConnection extends InboundHandler implements ServiceSide {
  /** An exchange that takes longer counts as a long-lived stream. */
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(5);

  /** The time after which an exchange that found no place among the streams tries again. */
  private static final long LOOK_AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

  private final UpstreamPool pool;
  private final Channel channel;
  private final ResponseReader responses;
  private final RequestWriter requests;
  private final LoopClock clock;
  private final long responseTimeoutNs;

  /** The deadline of the service, or of an idle connection. */
  private final Deadlines.Timer wait = new Deadlines.Timer(this::timedOut);

  /** Fires when the exchange has become a long-lived one. */
  private final Deadlines.Timer age = new Deadlines.Timer(this::isLong);

  /** The use that it counts for, and its present or last client, for {@link ConnectionCounts}. */
  Use use = Use.NEW;

  long client;

  /** The service's addresses when it was opened; it is not reused if they have changed. */
  SocketAddress[] targets;

  /** The present request; null if there is none. */
  private ProxiedRequest request;

  /** Bytes of the request that were written while the service did not read fast enough. */
  private int requestHeldBytes;

  /** Bytes of the response that the client's side holds. */
  private int responseHeldBytes;

  private boolean isClosed;
  private boolean requestComplete;
  private boolean isTunnel;
  private boolean inputEnded;
  private boolean outputEnding;
  private boolean outputEnded;

  /**
   * Whether the end of the connection is the service's own: without TLS always; with TLS only after
   * {@code close_notify}, as anybody in between can end a TCP connection (RFC 9112, section 9.8).
   */
  private boolean endIsTold;

  UpstreamConnection(UpstreamPool pool, Channel channel) {
    this.pool = pool;
    this.channel = channel;
    this.endIsTold = channel.pipeline().get(SslHandler.class) == null;
    this.responses = new ResponseReader(this, pool.messages());
    this.requests = new RequestWriter(channel);
    clock = pool.loop().clock();
    responseTimeoutNs = pool.loop().settings().timeouts().responseNs();
  }

  private void timedOut() {
    if (request == null) {
      channel.close();
    } else {
      fail(RefusalReason.UPSTREAM_TIMEOUT);
    }
  }

  private void isLong() {
    if (!pool.becomeStream(this)) {
      age.until(clock.nowNs() + LOOK_AGAIN_NS);
    }
  }

  boolean isUsable() {
    return request == null && !isClosed && channel.isActive();
  }

  /** Takes a request; the caller tells the request of it. */
  void start(ProxiedRequest newRequest) {
    age.until(clock.nowNs() + LONG_NS);
    wait.until(Deadlines.NEVER);
    request = newRequest;
    requestHeldBytes = 0;
    responseHeldBytes = 0;
    requestComplete = false;
    responses.start();
  }

  /** Waits for the next exchange until a deadline, and then closes. */
  void idleUntil(long deadlineNs) {
    wait.until(deadlineNs);
    age.until(Deadlines.NEVER);
  }

  void close() {
    channel.close();
  }

  @Override
  public void head(EncodedHead head) {
    ByteBuf bytes = head.takeHttp1();
    if (bytes == null) {
      fail(RefusalReason.UPSTREAM_CLOSED); // the service spoke HTTP/2 when it was written
      return;
    }
    responses.expect(head);
    boolean hasBody = head.hasBody();
    requests.head(bytes, hasBody && head.bodyForm() == BodyForm.DATA);
    if (!hasBody) {
      requestHasEnded();
    }
  }

  @Override
  public int data(ByteBuf bytes, boolean end) {
    int length = bytes.readableBytes();
    if (isTunnel) {
      requests.write(bytes);
    } else {
      requests.body(bytes, end);
    }
    if (end && isTunnel) {
      endTunnel();
    } else if (end) {
      requestHasEnded();
    }
    if (channel.isWritable()) {
      return 0;
    }
    requestHeldBytes += length;
    return length;
  }

  @Override
  public void trailers(RequestView fields) {
    requests.trailers(fields);
    requestHasEnded();
  }

  private void requestHasEnded() {
    requestComplete = true;
    awaitService(clock.nowNs());
  }

  @Override
  public void flush() {
    ChannelIo.flush(channel);
  }

  @Override
  public void responseConsumed(int bytes) {
    if (!isServing()) {
      return; // it has failed, and the request has not looked yet
    }
    responseHeldBytes -= bytes;
    if (responseHeldBytes == 0 && channel.isOpen()) {
      channel.config().setAutoRead(true);
    }
    awaitService(clock.nowNs());
  }

  /**
   * Restarts the service's time if the exchange waits for the service: it has the whole request, or
   * does not read what there is of it. All other waits end on the client's side: for the rest of
   * the request, for a client that does not read the response, and for a tunnel.
   */
  private void awaitService(long nowNs) {
    boolean isDue =
        isServing()
            && !isTunnel
            && responseHeldBytes == 0
            && (requestComplete || !channel.isWritable());
    wait.until(isDue ? nowNs + responseTimeoutNs : Deadlines.NEVER);
  }

  @Override
  public void reset(RequestEnd.How how, int errorCode) {
    request = null;
    if (isTunnel && channel instanceof SocketChannel && channel.isOpen()) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0); // no end that looks like one
    }
    channel.close();
  }

  private void endTunnel() {
    outputEnding = true;
    if (inputEnded) {
      releaseTunnel();
    }
    ChannelIo.endOutput(channel, this::outputHasEnded);
  }

  private void outputHasEnded() {
    outputEnded = true;
    if (inputEnded) {
      channel.close();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    endIsTold |= event == SslCloseCompletionEvent.SUCCESS;
    // Only a tunnel may end on one side; what else ends there is closed.
    if (event != ChannelInputShutdownEvent.INSTANCE || request == null) {
      return;
    }
    if (!outputEnding && Resets.hasEnded(channel)) {
      fail(RefusalReason.UPSTREAM_CLOSED);
      return;
    }
    inputEnded = true;
    ProxiedRequest served = request;
    if (outputEnding) {
      releaseTunnel();
    }
    served.responseData(Unpooled.EMPTY_BUFFER, true);
    if (outputEnded) {
      channel.close();
    }
  }

  /**
   * Both directions of the tunnel have ended: what was written is still sent, within a time of its
   * own.
   */
  private void releaseTunnel() {
    request = null;
    wait.until(clock.nowNs() + responseTimeoutNs);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (channel.isActive()) {
      channelActive(ctx); // it comes behind a handshake
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    pool.loop().deadlines().join(wait);
    pool.loop().deadlines().join(age);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (request == null) {
      bytes.release(); // nobody asked: whatever it is, it ends the connection
      channel.close();
      return;
    }
    awaitService(clock.tick());
    responses.read(bytes);
  }

  /** Whether there is a request whose response is being read. */
  boolean isServing() {
    return request != null;
  }

  void passInformational(ResponseHead head) {
    hold(request.informational(head));
  }

  void switched(ResponseHead head) {
    isTunnel = true;
    wait.until(Deadlines.NEVER);
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    request.switched(head);
  }

  BodyForm passHead(ResponseHead head) {
    return request.responseHead(head);
  }

  /** Passes on {@code bytes} of the response's body, or of the tunnel. */
  void pass(ByteBuf bytes) {
    hold(request.responseData(bytes, false));
  }

  /** Counts bytes that the client holds, and pauses reading while there are any. */
  private void hold(int bytes) {
    if (bytes > 0) {
      responseHeldBytes += bytes;
      if (channel.isOpen()) {
        channel.config().setAutoRead(false);
      }
      wait.until(Deadlines.NEVER);
      becomeStream(); // it takes as long as its client likes
    }
  }

  /** Counts the exchange as a long-lived stream, if there is a place for it. */
  void becomeStream() {
    pool.becomeStream(this);
  }

  /** Ends the response; takes over {@code last}. */
  void complete(ByteBuf last) {
    settle().responseData(last, true);
  }

  /** Ends the response with the trailer fields in {@code lines}, which stay the caller's. */
  void completeWithTrailers(ByteBuf lines) {
    RequestView fields = pool.messages().trailers(lines);
    settle().responseTrailers(fields);
  }

  /** Decides whether the connection is reused, before the request goes on, which is returned. */
  private ProxiedRequest settle() {
    ProxiedRequest served = request;
    request = null;
    if (responses.endedClean() && requestComplete && channel.isActive()) {
      channel.config().setAutoRead(true); // a slow client may have stopped it
      pool.release(this);
    } else {
      isClosed = true;
      channel.close();
    }
    return served;
  }

  /** Ends the exchange, as a read, a write or a wait has failed. */
  void fail(RefusalReason reason) {
    ProxiedRequest failed = request;
    request = null;
    isClosed = true;
    channel.close();
    if (failed != null) {
      failed.serviceReset(reason);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (request != null) {
      request.flushResponse();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (request == null) {
      return;
    }
    awaitService(clock.nowNs());
    int consumed = requestHeldBytes;
    if (channel.isWritable() && consumed > 0) {
      requestHeldBytes = 0;
      request.requestConsumed(consumed);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    wait.leave();
    age.leave();
    pool.closed(this);
    if (request != null && responses.endsWithConnection() && endIsTold) {
      complete(Unpooled.EMPTY_BUFFER);
    } else {
      fail(RefusalReason.UPSTREAM_CLOSED);
    }
    responses.discard();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // A reset, or a failed write. Cut off, even where the end of the connection would end the body.
    if (!(cause instanceof IOException)) {
      InternalErrors.caught("an exchange with the service", cause);
    }
    fail(RefusalReason.UPSTREAM_CLOSED);
  }
}
