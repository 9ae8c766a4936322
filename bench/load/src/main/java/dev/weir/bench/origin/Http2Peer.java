package dev.weir.bench.origin;

import dev.weir.proxy.http2.ClientPreface;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameReader;
import dev.weir.proxy.http2.FrameSink;
import dev.weir.proxy.http2.Http2Output;
import dev.weir.proxy.http2.Setting;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The server's side of an HTTP/2 connection that does not look at what is asked: field blocks are
 * skipped, not decoded. Used by its event loop alone.
 */
public final class Http2Peer extends ByteToMessageDecoder {
  private static final int WINDOW_BYTES = 1 << 30;
  private static final int GIVE_BACK_BYTES = WINDOW_BYTES / 2;
  private static final int MAX_BLOCK_BYTES = 1 << 17;

  private final Http2Sink.Behaviour behaviour;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private final FrameReader reader = new FrameReader(MAX_BLOCK_BYTES);
  private final FrameSink frames = new Frames();
  private ChannelHandlerContext context;
  private Http2Output output;
  private boolean prefaced;
  private int receivedBytes;
  private long window = Setting.DEFAULT_WINDOW_BYTES;

  /** An answer for which the client's window has been too small. */
  private record Waiting(int streamId, Http2Answer answer) {}

  Http2Peer(Http2Sink.Behaviour behaviour) {
    this.behaviour = behaviour;
  }

  /** Answers a request. The client's window for each stream must be as large as the answer. */
  public void answer(int streamId, Http2Answer answer) {
    if (answer.contentBytes() > window || !waiting.isEmpty()) {
      waiting.add(new Waiting(streamId, answer));
      return;
    }
    window -= answer.contentBytes();
    answer.write(output.encoded(), streamId);
  }

  /** Refuses a request, with an error code of RFC 9113, section 7. */
  public void reset(int streamId, int errorCode) {
    output.reset(streamId, errorCode);
  }

  public void goAway(int lastStreamId, int errorCode) {
    output.goAway(lastStreamId, errorCode);
  }

  /** Sends what was written; done at the end of a turn in which something was received. */
  public void flush() {
    output.flush();
  }

  public void close() {
    flush();
    context.close();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    output = new Http2Output(ctx.channel());
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    output.settings(Setting.INITIAL_WINDOW_SIZE, WINDOW_BYTES);
    output.windowUpdate(0, WINDOW_BYTES - Setting.DEFAULT_WINDOW_BYTES);
    flush();
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> messages) {
    if (prefaced ? reader.read(in, frames) != ErrorCode.NO_ERROR : !preface(in)) {
      ctx.close();
      in.skipBytes(in.readableBytes());
    }
  }

  /** Reads the client's preface once it is there; false if it is something else. */
  private boolean preface(ByteBuf in) {
    if (in.readableBytes() < ClientPreface.BYTES) {
      return true;
    }
    prefaced = ClientPreface.begins(in);
    in.skipBytes(ClientPreface.BYTES);
    return prefaced;
  }

  private void windowGrows(int bytes) {
    window += bytes;
    while (!waiting.isEmpty() && waiting.peek().answer.contentBytes() <= window) {
      final Waiting next = waiting.poll();
      window -= next.answer.contentBytes();
      next.answer.write(output.encoded(), next.streamId);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    flush();
    super.channelReadComplete(ctx);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // clients go as they please
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext ctx) {
    output.discard();
    reader.close();
  }

  private int requested(int streamId, boolean whole) {
    if (whole) {
      behaviour.requested(this, streamId);
    }
    return ErrorCode.NO_ERROR;
  }

  /** The client's frames, of which only the ends of requests and the windows count. */
  private final class Frames implements FrameSink {
    @Override
    public int headers(int streamId, ByteBuf block, int offset, int bytes, boolean endStream) {
      return requested(streamId, endStream);
    }

    @Override
    public int data(
        int streamId, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
      receivedBytes += creditBytes;
      if (receivedBytes >= GIVE_BACK_BYTES) {
        output.windowUpdate(0, receivedBytes);
        receivedBytes = 0;
      }
      return requested(streamId, endStream);
    }

    @Override
    public int reset(int streamId, int errorCode) {
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int setting(int id, long value) {
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int settingsEnd() {
      output.settingsAck();
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int ping(long data) {
      output.pingAck(data);
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int goAway(int lastStreamId, int errorCode) {
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int windowUpdate(int streamId, int bytes) {
      if (streamId == 0) {
        windowGrows(bytes);
      }
      return ErrorCode.NO_ERROR;
    }

    @Override
    public int streamFault(int streamId, int errorCode) {
      return errorCode;
    }
  }
}
