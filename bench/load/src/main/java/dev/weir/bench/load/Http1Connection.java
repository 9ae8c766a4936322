package dev.weir.bench.load;

import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.loop.ChannelIo;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.agrona.concurrent.UnsafeBuffer;

/** A connection of HTTP/1.1: one request at a time, kept alive as long as the target keeps it. */
final class Http1Connection extends ChannelInboundHandlerAdapter implements LoadConnection {
  private static final int MAX_FIELDS = 128;
  private static final int MAX_HEAD_BYTES = 64 << 10;

  private enum State {
    CONNECTING,
    IDLE,
    HEAD,
    LENGTH,
    CHUNKS,
    UNTIL_CLOSE,
    CLOSED
  }

  private final LoadSink sink;
  private final ResponseHead head = new ResponseHead(MAX_FIELDS);
  private final ChunkScanner chunks = new ChunkScanner();
  private final UnsafeBuffer window = new UnsafeBuffer();
  private ChannelHandlerContext ctx;
  private State state = State.CONNECTING;
  private ByteBuf in;
  private long dueNs;
  private long startedNs;
  private boolean headMethod;
  private int status;
  private long bodyLeft;
  private boolean keepAlive;

  Http1Connection(LoadSink sink) {
    this.sink = sink;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    this.ctx = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    state = State.IDLE;
    sink.opened(this);
  }

  @Override
  public boolean hasRoom() {
    return state == State.IDLE;
  }

  @Override
  public int inFlight() {
    return state.compareTo(State.IDLE) > 0 && state != State.CLOSED ? 1 : 0;
  }

  @Override
  public void start(Request request, long dueNs, long nowNs) {
    this.dueNs = dueNs;
    startedNs = nowNs;
    headMethod = request.headMethod();
    state = State.HEAD;
    final ByteBuf bytes = ctx.alloc().directBuffer(request.head().length + request.body().length);
    bytes.writeBytes(request.head()).writeBytes(request.body());
    ctx.write(bytes, ctx.voidPromise());
  }

  @Override
  public void flush() {
    ctx.flush();
  }

  @Override
  public void expire(long startedBeforeNs) {
    if (inFlight() > 0 && startedNs < startedBeforeNs) {
      fail(Failure.TIMEOUT);
    }
  }

  @Override
  public void close() {
    state = State.CLOSED;
    ctx.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    in = ChannelIo.append(in, (ByteBuf) message);
    boolean advanced = true;
    while (advanced && in.isReadable()) {
      advanced =
          switch (state) {
            case HEAD -> readHead();
            case LENGTH -> readLength();
            case CHUNKS -> readChunks();
            case UNTIL_CLOSE -> skip(in.readableBytes());
            case CONNECTING, IDLE -> {
              fail(Failure.MALFORMED); // an answer to no request
              yield false;
            }
            case CLOSED -> skip(in.readableBytes());
          };
    }
    if (!in.isReadable()) {
      in.release();
      in = null;
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (state == State.IDLE) {
      sink.room(this);
    }
  }

  private boolean readHead() {
    ChannelIo.view(in, window);
    final int length = head.scan(window, 0, in.readableBytes());
    if (length == ResponseHead.INCOMPLETE && in.readableBytes() <= MAX_HEAD_BYTES) {
      return false;
    }
    if (length <= 0 || head.status() == 101) {
      fail(Failure.MALFORMED);
      return false;
    }
    in.skipBytes(length);
    if (!head.informational()) {
      frame();
    }
    return true;
  }

  /** The end of the answer whose head was read. */
  private void frame() {
    status = head.status();
    keepAlive = head.keepAlive();
    if (head.bodyless(headMethod) || head.contentLength() == 0) {
      complete();
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
    final int taken = (int) Math.min(bodyLeft, in.readableBytes());
    bodyLeft -= taken;
    in.skipBytes(taken);
    if (bodyLeft == 0) {
      complete();
    }
    return true;
  }

  private boolean readChunks() {
    ChannelIo.view(in, window);
    final int limit = in.readableBytes();
    int at = 0;
    int kind;
    do {
      kind = chunks.next(window, at, limit);
      if (kind == ChunkScanner.INCOMPLETE || kind == ChunkScanner.MALFORMED) {
        break;
      }
      at = chunks.segmentEnd();
    } while (kind != ChunkScanner.END);
    in.skipBytes(at);
    if (kind == ChunkScanner.END) {
      complete();
    } else if (kind == ChunkScanner.MALFORMED) {
      fail(Failure.MALFORMED);
    }
    return kind == ChunkScanner.END;
  }

  private boolean skip(int length) {
    in.skipBytes(length);
    return true;
  }

  private void complete() {
    state = State.IDLE;
    sink.answered(status, -1, dueNs, startedNs);
    if (!keepAlive) {
      state = State.CLOSED;
      ctx.close();
      sink.closed(this);
    }
  }

  private void fail(Failure failure) {
    final boolean asked = inFlight() > 0;
    state = State.CLOSED;
    ctx.close();
    if (asked) {
      sink.failed(failure, dueNs, startedNs);
    }
    sink.closed(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (state == State.UNTIL_CLOSE) {
      keepAlive = false;
      complete();
    } else if (state != State.CLOSED && state != State.CONNECTING) {
      fail(Failure.CLOSED);
    }
    if (in != null) {
      in.release();
      in = null;
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (state != State.CLOSED && state != State.CONNECTING) {
      fail(Failure.CLOSED); // a reset; half an answer that the end of it would have ended is none
    }
  }
}
