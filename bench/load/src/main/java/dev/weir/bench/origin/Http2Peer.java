package dev.weir.bench.origin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The server's side of an HTTP/2 connection that does not look at what is asked: field blocks are
 * skipped, not decoded. Used by its event loop alone.
 */
public final class Http2Peer extends ByteToMessageDecoder {
  private static final int END_STREAM = 0x1;
  private static final int ACK = 0x1;
  private static final int END_HEADERS = 0x4;
  private static final int WINDOW_BYTES = 1 << 30;
  private static final int GIVE_BACK_BYTES = WINDOW_BYTES / 2;
  private static final int MAX_FRAME_BYTES = Http2CodecUtil.DEFAULT_MAX_FRAME_SIZE;
  private static final int INITIAL_BYTES = 4096;

  private final Http2Sink.Behaviour behaviour;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private ChannelHandlerContext context;
  private ByteBuf out;
  private boolean prefaced;
  private boolean endsWithBlock;
  private int receivedBytes;
  private long window = Http2CodecUtil.DEFAULT_WINDOW_SIZE;

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
    answer.write(out(), streamId);
  }

  /** Refuses a request, with an error code of RFC 9113, section 7. */
  public void reset(int streamId, int errorCode) {
    frame(Integer.BYTES, Http2FrameTypes.RST_STREAM, 0, streamId).writeInt(errorCode);
  }

  /** Takes no streams above one. */
  public void goAway(int lastStreamId, int errorCode) {
    frame(2 * Integer.BYTES, Http2FrameTypes.GO_AWAY, 0, 0)
        .writeInt(lastStreamId)
        .writeInt(errorCode);
  }

  /** Sends what was written; done at the end of a turn in which something was received. */
  public void flush() {
    if (out != null) {
      final ByteBuf sent = out;
      out = null;
      context.writeAndFlush(sent, context.voidPromise());
    }
  }

  /** Closes the connection. */
  public void close() {
    flush();
    context.close();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    frame(Http2CodecUtil.SETTING_ENTRY_LENGTH, Http2FrameTypes.SETTINGS, 0, 0)
        .writeShort(Http2CodecUtil.SETTINGS_INITIAL_WINDOW_SIZE)
        .writeInt(WINDOW_BYTES);
    windowUpdate(WINDOW_BYTES - Http2CodecUtil.DEFAULT_WINDOW_SIZE);
    flush();
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> messages) {
    if (!prefaced && !preface(in)) {
      return;
    }
    while (in.readableBytes() >= Http2CodecUtil.FRAME_HEADER_LENGTH) {
      final int start = in.readerIndex();
      final int bytes = in.getUnsignedMedium(start);
      if (bytes > MAX_FRAME_BYTES) {
        ctx.close();
        in.skipBytes(in.readableBytes());
        return;
      }
      final int end = start + Http2CodecUtil.FRAME_HEADER_LENGTH + bytes;
      if (end > in.writerIndex()) {
        return;
      }
      frame(in, start, bytes);
      in.readerIndex(end);
    }
  }

  private boolean preface(ByteBuf in) {
    final ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
    final int bytes = preface.readableBytes();
    if (in.readableBytes() < bytes) {
      return false;
    }
    if (!ByteBufUtil.equals(preface, 0, in, in.readerIndex(), bytes)) {
      context.close();
      in.skipBytes(in.readableBytes());
      return false;
    }
    in.skipBytes(bytes);
    prefaced = true;
    return true;
  }

  private void frame(ByteBuf in, int start, int bytes) {
    final int flags = in.getByte(start + 4);
    final int streamId = in.getInt(start + 5);
    final int payload = start + Http2CodecUtil.FRAME_HEADER_LENGTH;
    switch (in.getByte(start + 3)) {
      case Http2FrameTypes.HEADERS -> {
        endsWithBlock = (flags & END_STREAM) != 0;
        blockRead(flags, streamId);
      }
      case Http2FrameTypes.CONTINUATION -> blockRead(flags, streamId);
      case Http2FrameTypes.DATA -> dataRead(flags, streamId, bytes);
      case Http2FrameTypes.SETTINGS -> {
        if ((flags & ACK) == 0) {
          frame(0, Http2FrameTypes.SETTINGS, ACK, 0);
        }
      }
      case Http2FrameTypes.PING -> {
        if ((flags & ACK) == 0) {
          frame(Long.BYTES, Http2FrameTypes.PING, ACK, 0).writeLong(in.getLong(payload));
        }
      }
      case Http2FrameTypes.WINDOW_UPDATE -> {
        if (streamId == 0) {
          windowGrows(in.getInt(payload));
        }
      }
      default -> {
        // Nothing that an answer depends on.
      }
    }
  }

  private void blockRead(int flags, int streamId) {
    if (endsWithBlock && (flags & END_HEADERS) != 0) {
      behaviour.requested(this, streamId);
    }
  }

  private void dataRead(int flags, int streamId, int bytes) {
    receivedBytes += bytes;
    if (receivedBytes >= GIVE_BACK_BYTES) {
      windowUpdate(receivedBytes);
      receivedBytes = 0;
    }
    if ((flags & END_STREAM) != 0) {
      behaviour.requested(this, streamId);
    }
  }

  private void windowGrows(int bytes) {
    window += bytes;
    while (!waiting.isEmpty() && waiting.peek().answer.contentBytes() <= window) {
      final Waiting next = waiting.poll();
      window -= next.answer.contentBytes();
      next.answer.write(out(), next.streamId);
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
    if (out != null) {
      out.release();
      out = null;
    }
  }

  private void windowUpdate(int bytes) {
    frame(Integer.BYTES, Http2FrameTypes.WINDOW_UPDATE, 0, 0).writeInt(bytes);
  }

  private ByteBuf frame(int payloadBytes, byte type, int flags, int streamId) {
    return out().writeMedium(payloadBytes).writeByte(type).writeByte(flags).writeInt(streamId);
  }

  private ByteBuf out() {
    if (out == null) {
      out = context.alloc().ioBuffer(INITIAL_BYTES);
    }
    return out;
  }
}
