package dev.weir.proxy.upstream;

import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.HeadEnd;
import dev.weir.proxy.http1.RequestSink;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.ResponseSink;
import dev.weir.proxy.loop.Bytes;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.InboundHandler;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.Resets;
import dev.weir.proxy.request.RefusalReason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.SocketChannel;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One connection to the service, for one exchange at a time. A connection is used again only if the
 * exchange ended exactly where the framing said; after anything else it is closed, so that no byte
 * of one response can ever be taken for another's.
 */
final class UpstreamConnection extends InboundHandler implements RequestSink {
  private static final int MAX_HEAD_BYTES = 64 * 1024;

  /** Informational responses to one request, before the final one. */
  private static final int MAX_INFORMATIONAL = 16;

  private enum State {
    IDLE,
    HEAD,
    LENGTH,
    CHUNKS,
    UNTIL_CLOSE,
    TUNNEL,
    CLOSED
  }

  /** What a connection counts as. */
  enum Use {
    /** Not handed over yet. */
    NEW,
    IDLE,
    EXCHANGE,
    STREAM,
    /** Nothing any more: it is closed, or about to be. */
    NONE
  }

  /** An exchange that takes longer is a stream, whichever side it is that takes its time. */
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(5);

  /** When one that found no place among the streams looks again. */
  private static final long LOOK_AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

  private final UpstreamPool pool;
  private final Channel channel;
  private final HeadEnd headEnd = new HeadEnd();
  private final ChunkScanner chunks = new ChunkScanner();
  private final Waiter waiter = new Waiter();
  private final Ageing ageing = new Ageing();
  private Use use = Use.NEW;
  private long clientKey;
  private SocketAddress[] targets;
  private State state = State.IDLE;
  private ResponseSink client;
  private ByteBuf in;
  private long bodyLeft;
  private int informationalCount;
  private boolean requestComplete;
  private boolean headMethod;
  private boolean upgrade;
  private boolean keepAlive;
  private boolean dataOnly;
  private boolean inputEnded;
  private boolean outputEnding;
  private boolean outputEnded;

  UpstreamConnection(UpstreamPool pool, Channel channel) {
    this.pool = pool;
    this.channel = channel;
  }

  boolean isUsable() {
    return state == State.IDLE && channel.isActive();
  }

  Use use() {
    return use;
  }

  void use(Use newUse) {
    use = newUse;
  }

  /** The key of the client that it is in use for, or was last. */
  long client() {
    return clientKey;
  }

  /** The service's addresses when it was made: if they are others now, it is not used again. */
  SocketAddress[] targets() {
    return targets;
  }

  /**
   * It is there, and counts as an exchange of the client that it was made for.
   *
   * @param all of which it is connected to one.
   */
  void madeFor(long key, SocketAddress[] all) {
    use = Use.EXCHANGE;
    clientKey = key;
    targets = all;
  }

  void start(ResponseSink newClient, long key) {
    use = Use.EXCHANGE;
    clientKey = key;
    ageing.until(pool.clock().nowNs() + LONG_NS);
    client = newClient;
    state = State.HEAD;
    headEnd.reset();
    informationalCount = 0;
    requestComplete = false;
    waiter.until(Deadlines.NEVER);
    newClient.upstreamReady(this);
  }

  void idleUntil(long deadlineNs) {
    state = State.IDLE;
    waiter.until(deadlineNs);
    ageing.until(Deadlines.NEVER);
  }

  void close() {
    channel.close();
  }

  @Override
  public void writeHead(ByteBuf bytes, boolean headMethod, boolean upgrade) {
    this.headMethod = headMethod;
    this.upgrade = upgrade;
    Bytes.write(channel, bytes);
  }

  @Override
  public void writeBody(ByteBuf bytes) {
    Bytes.write(channel, bytes);
  }

  @Override
  public void requestComplete() {
    requestComplete = true;
    awaitService(pool.clock().nowNs());
  }

  @Override
  public void flush() {
    Bytes.flush(channel);
  }

  @Override
  public boolean isWritable() {
    return channel.isWritable();
  }

  @Override
  public void readResponse(boolean read) {
    if (channel.isOpen()) {
      channel.config().setAutoRead(read);
    }
    awaitService(pool.clock().nowNs());
    if (!read) {
      pool.becomeStream(this); // it takes as long as its client likes
    }
  }

  /**
   * Gives the service its time anew where it is the service that is waited for: it has the whole
   * request, or does not take what there is of it, whether its response has begun or not. All other
   * waits of an exchange end on the client's side: for the rest of the request, for a client that
   * does not take the response, and for either end of a tunnel.
   */
  private void awaitService(long nowNs) {
    boolean isDue =
        state != State.TUNNEL
            && channel.config().isAutoRead()
            && (requestComplete || !channel.isWritable());
    waiter.until(isDue ? nowNs + pool.responseTimeoutNs() : Deadlines.NEVER);
  }

  @Override
  public void abandon() {
    client = null;
    if (state == State.TUNNEL && channel instanceof SocketChannel && channel.isOpen()) {
      channel.config().setOption(ChannelOption.SO_LINGER, 0); // no end that looks like one
    }
    channel.close();
  }

  @Override
  public void endTunnel() {
    outputEnding = true;
    if (inputEnded) {
      releaseTunnel();
    }
    Bytes.endOutput(channel, this::outputHasEnded);
  }

  private void outputHasEnded() {
    outputEnded = true;
    if (inputEnded) {
      channel.close();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    // Only a tunnel may end on one side; what else ends there is closed.
    if (event != ChannelInputShutdownEvent.INSTANCE || client == null) {
      return;
    }
    if (!outputEnding && Resets.hasEnded(channel)) {
      fail(RefusalReason.UPSTREAM_CLOSED);
      return;
    }
    inputEnded = true;
    ResponseSink served = client;
    if (outputEnding) {
      releaseTunnel();
    }
    served.tunnelEnded();
    if (outputEnded) {
      channel.close();
    }
  }

  /** Both sides of the tunnel have ended: what was written still goes out, in its own time. */
  private void releaseTunnel() {
    client = null;
    waiter.until(pool.clock().nowNs() + pool.responseTimeoutNs());
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    pool.deadlines().join(waiter);
    pool.deadlines().join(ageing);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    if (client == null) {
      bytes.release(); // nobody asked: whatever it is, it ends the connection
      channel.close();
      return;
    }
    long nowNs = pool.clock().tick();
    if (state == State.TUNNEL) {
      client.tunnelled(bytes);
      return;
    }
    awaitService(nowNs);
    in = Bytes.append(in, bytes);
    readResponseBytes(nowNs);
  }

  private void readResponseBytes(long nowNs) {
    while (in != null && in.isReadable() && client != null) {
      boolean advanced =
          switch (state) {
            case HEAD -> readHead(nowNs);
            case LENGTH -> readLength();
            case CHUNKS -> readChunks();
            case UNTIL_CLOSE -> pass(in.readableBytes());
            case TUNNEL -> {
              ByteBuf rest = takeRest();
              client.tunnelled(rest);
              yield true;
            }
            case IDLE, CLOSED -> false;
          };
      if (!advanced) {
        break;
      }
    }
    if (in != null && !in.isReadable()) {
      in.release();
      in = null;
    }
  }

  private boolean readHead(long nowNs) {
    UnsafeBuffer window = pool.window();
    Bytes.view(in, window);
    int readable = in.readableBytes();
    if (readable <= MAX_HEAD_BYTES && !headEnd.isDue(window, readable)) {
      return false;
    }
    ResponseHead head = pool.head();
    int length = head.scan(window, 0, readable);
    if (length == ResponseHead.INCOMPLETE) {
      if (readable > MAX_HEAD_BYTES) {
        fail(RefusalReason.UPSTREAM_MALFORMED);
      } else {
        headEnd.incomplete(window, readable);
      }
      return false;
    }
    headEnd.reset();
    boolean unasked = length > 0 && head.status() == 101 && !upgrade;
    boolean flood = length > 0 && head.informational() && ++informationalCount > MAX_INFORMATIONAL;
    if (length == ResponseHead.MALFORMED || length > MAX_HEAD_BYTES || unasked || flood) {
      fail(RefusalReason.UPSTREAM_MALFORMED);
      return false;
    }
    frame(head);
    boolean eventStream = state != State.HEAD && head.eventStream();
    int start = in.readerIndex();
    dataOnly = client.responseHead(head, in, start, length, nowNs);
    if (client == null) {
      return false; // the client went away over it
    }
    in.skipBytes(length);
    if (state == State.LENGTH && bodyLeft == 0) {
      complete();
    } else if (state == State.TUNNEL || eventStream) {
      pool.becomeStream(this);
    }
    return true;
  }

  /** Where the response that this head starts will end. */
  private void frame(ResponseHead head) {
    keepAlive = head.keepAlive();
    if (head.informational()) {
      return; // the state stays HEAD
    }
    if (head.status() == 101) {
      state = State.TUNNEL;
      waiter.until(Deadlines.NEVER);
      channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    } else if (head.bodyless(headMethod)) {
      state = State.LENGTH;
      bodyLeft = 0;
    } else if (head.chunked()) {
      state = State.CHUNKS;
      chunks.reset();
    } else if (head.closeDelimited()) {
      state = State.UNTIL_CLOSE;
    } else {
      state = State.LENGTH;
      bodyLeft = head.contentLength();
    }
  }

  private boolean readLength() {
    int taken = (int) Math.min(bodyLeft, in.readableBytes());
    bodyLeft -= taken;
    boolean last = bodyLeft == 0;
    pass(taken);
    if (last && client != null) {
      complete();
    }
    return true;
  }

  /** Passes on what is well formed, in as few pieces as it stands in. */
  private boolean readChunks() {
    UnsafeBuffer window = pool.window();
    Bytes.view(in, window);
    int limit = in.readableBytes();
    int passFrom = 0;
    int at = 0;
    int base = in.readerIndex();
    int kind;
    do {
      kind = chunks.next(window, at, limit);
      if (kind == ChunkScanner.INCOMPLETE || kind == ChunkScanner.MALFORMED) {
        break;
      }
      int end = chunks.segmentEnd();
      boolean passes = kind == ChunkScanner.DATA || !dataOnly && kind != ChunkScanner.OMIT;
      if (!passes) {
        passSlice(base, passFrom, at);
        passFrom = end;
      }
      at = end;
    } while (kind != ChunkScanner.END);
    if (kind == ChunkScanner.MALFORMED) {
      fail(RefusalReason.UPSTREAM_MALFORMED);
      return false;
    }
    passSlice(base, passFrom, at);
    if (client == null) {
      return false;
    }
    in.skipBytes(at);
    if (kind == ChunkScanner.END) {
      complete();
      return true;
    }
    return false;
  }

  private void passSlice(int base, int from, int to) {
    if (to > from && client != null) {
      client.responseBody(in.retainedSlice(base + from, to - from));
    }
  }

  private boolean pass(int length) {
    client.responseBody(length == in.readableBytes() ? takeRest() : in.readRetainedSlice(length));
    return true;
  }

  private ByteBuf takeRest() {
    ByteBuf rest = in;
    in = null;
    return rest;
  }

  /** The response is whole. What happens to the connection is settled before the client goes on. */
  private void complete() {
    ResponseSink served = client;
    client = null;
    boolean clean = in == null || !in.isReadable();
    if (clean && keepAlive && requestComplete && state != State.UNTIL_CLOSE && channel.isActive()) {
      channel.config().setAutoRead(true); // a slow client may have stopped it
      pool.release(this);
    } else {
      state = State.CLOSED;
      channel.close();
    }
    served.responseComplete();
  }

  private void fail(RefusalReason reason) {
    ResponseSink failed = client;
    client = null;
    state = State.CLOSED;
    channel.close();
    if (failed != null) {
      failed.upstreamFailed(reason);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (client != null) {
      client.responseFlush();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (client == null) {
      return;
    }
    awaitService(pool.clock().nowNs());
    if (channel.isWritable()) {
      client.upstreamWritable();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    waiter.leave();
    ageing.leave();
    pool.closed(this);
    if (client != null && state == State.UNTIL_CLOSE) {
      complete();
    } else {
      fail(RefusalReason.UPSTREAM_CLOSED);
    }
    if (in != null) {
      in.release();
      in = null;
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // A reset, or a failed write. Cut off, even where the end of the connection would end the body.
    if (!(cause instanceof IOException)) {
      InternalErrors.caught("an exchange with the service", cause);
    }
    fail(RefusalReason.UPSTREAM_CLOSED);
  }

  private void onDeadline() {
    if (client == null) {
      channel.close(); // idle for long enough
    } else {
      fail(RefusalReason.UPSTREAM_TIMEOUT);
    }
  }

  private final class Waiter extends Deadlines.Waiter {
    void until(long deadlineNs) {
      deadline(deadlineNs);
    }

    @Override
    protected void onDeadline() {
      UpstreamConnection.this.onDeadline();
    }
  }

  private final class Ageing extends Deadlines.Waiter {
    void until(long deadlineNs) {
      deadline(deadlineNs);
    }

    @Override
    protected void onDeadline() {
      if (!pool.becomeStream(UpstreamConnection.this)) {
        deadline(pool.clock().nowNs() + LOOK_AGAIN_NS);
      }
    }
  }
}
