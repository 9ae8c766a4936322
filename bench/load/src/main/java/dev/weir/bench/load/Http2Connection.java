package dev.weir.bench.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2FrameReader;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The client's side of an HTTP/2 connection (RFC 9113, with prior knowledge), made for many small
 * requests: a stream is a slot of a table, and what is to be sent goes out in one buffer per turn.
 * Add it before the channel is connected; where connecting fails, nothing is told. With TLS, it
 * takes the channel to be active once ALPN has agreed on {@code h2}.
 *
 * <p>It ends, as {@link LoadSink#closed}, when the server goes away (after the answers that are
 * still to come), when it breaks the protocol, and when the identifiers of streams have run out.
 */
final class Http2Connection extends ByteToMessageDecoder implements LoadConnection {
  private static final int WINDOW_BYTES = 1 << 30;
  private static final int GIVE_BACK_BYTES = WINDOW_BYTES / 2;
  private static final int MAX_HEADER_LIST_BYTES = 1 << 16;
  private static final int SHOWN_BYTES = 64;

  private final LoadSink sink;
  private final int maxStreams;
  private final boolean grpc;
  private final StreamTable streams;
  private final Http2FrameReader reader;
  private final Frames frames = new Frames();

  private ChannelHandlerContext context;
  private Http2Output output;
  private RequestBodies bodies;
  private long peerMaxStreams = Long.MAX_VALUE;
  private int receivedBytes;
  private boolean opened;
  // No more requests: the server goes away, or identifiers have run out.
  private boolean retired;
  private boolean done;
  // By the engine, which wants to hear no more.
  private boolean forgotten;
  // Requests, since the engine was last told that there is room.
  private boolean ended;
  private Throwable channelFault;

  /**
   * @param maxStreams at once; fewer if the server allows fewer. From 1 to 2^20.
   * @param grpc whether requests are gRPC calls, whose answers have a status of their own.
   */
  Http2Connection(LoadSink sink, int maxStreams, boolean grpc) {
    this(sink, maxStreams, grpc, StreamTable.FIRST_ID);
  }

  Http2Connection(LoadSink sink, int maxStreams, boolean grpc, int firstStreamId) {
    this.sink = sink;
    this.maxStreams = maxStreams;
    this.grpc = grpc;
    streams = new StreamTable(maxStreams, firstStreamId);
    reader = new DefaultHttp2FrameReader(AnswerFields.decoder(MAX_HEADER_LIST_BYTES));
  }

  // What the engine asks for.

  @Override
  public boolean hasRoom() {
    return opened && !retired && !done && streams.count() < Math.min(maxStreams, peerMaxStreams);
  }

  @Override
  public int inFlight() {
    return streams.count();
  }

  @Override
  public void start(Request request, long dueNs, long nowNs) {
    int slot = streams.open(dueNs, nowNs);
    byte[] body = request.body();
    output.headers(streams.id(slot), request.head(), body.length == 0);
    if (body.length > 0) {
      bodies.start(slot, body);
    }
    retired |= !streams.hasIds();
  }

  @Override
  public void flush() {
    output.flush();
    while (bodies.held() && context.channel().isWritable()) {
      bodies.resume();
      output.flush();
    }
  }

  @Override
  public void expire(long startedBeforeNs) {
    for (int slot = 0; slot < streams.slots(); slot++) {
      if (streams.id(slot) != 0 && streams.startedNs[slot] - startedBeforeNs < 0) {
        output.reset(streams.id(slot), Http2Error.CANCEL.code());
        fail(slot, Failure.TIMEOUT);
      }
    }
    settle();
  }

  @Override
  public void close() {
    done = true;
    forgotten = true;
    streams.clear();
    if (context != null) {
      context.close();
    }
  }

  // The channel.

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    output = new Http2Output(added);
    bodies = new RequestBodies(streams, output);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    output.preface(WINDOW_BYTES, MAX_HEADER_LIST_BYTES);
    output.flush();
    ctx.fireChannelActive();
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (done) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (!opened && !startsWithSettings(in)) {
      return;
    }
    try {
      reader.readFrame(ctx, in, frames);
    } catch (Http2Exception.StreamException e) {
      malformed(e.streamId(), e.error());
    } catch (Http2Exception e) {
      broken(e.error(), e);
    }
  }

  /** Whether there is enough to see that the peer speaks HTTP/2; tells if it does not. */
  private boolean startsWithSettings(ByteBuf in) {
    if (in.readableBytes() < Http2CodecUtil.FRAME_HEADER_LENGTH) {
      return false;
    }
    int start = in.readerIndex();
    if (in.getByte(start + 3) == Http2FrameTypes.SETTINGS) {
      return true;
    }
    String shown =
        in.toString(start, Math.min(in.readableBytes(), SHOWN_BYTES), StandardCharsets.ISO_8859_1)
            .replaceAll("[^\\x20-\\x7e]+", " ")
            .trim();
    broken(
        Http2Error.PROTOCOL_ERROR,
        new IOException("the server does not speak HTTP/2: it began with \"" + shown + "\""));
    return false;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    settle();
    super.channelReadComplete(ctx);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
    flush();
    super.channelWritabilityChanged(ctx);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    super.channelInactive(ctx); // decodes what is left
    end(
        Failure.CLOSED,
        channelFault == null ? new IOException("the server closed the connection") : channelFault);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof DecoderException && cause.getCause() instanceof RuntimeException) {
      broken(Http2Error.INTERNAL_ERROR, cause.getCause());
    } else {
      channelFault = cause;
      ctx.close(); // told when the channel is inactive
    }
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext ctx) {
    output.discard();
    reader.close();
  }

  // How requests and the connection end.

  private void answered(int slot, int grpcStatus) {
    if (streams.body[slot] != null) {
      // The answer did not wait for the whole request, and need not have the rest.
      output.reset(streams.id(slot), Http2Error.CANCEL.code());
    }
    int status = streams.status[slot];
    streams.free(slot);
    ended = true;
    sink.answered(status, grpc ? grpcStatus : -1, streams.dueNs[slot], streams.startedNs[slot]);
  }

  private void fail(int slot, Failure failure) {
    streams.free(slot);
    ended = true;
    sink.failed(failure, streams.dueNs[slot], streams.startedNs[slot]);
  }

  private void malformed(int streamId, Http2Error error) {
    int slot = streams.find(streamId);
    if (slot != StreamTable.NONE) {
      output.reset(streamId, error.code());
      fail(slot, Failure.MALFORMED);
    }
  }

  private void broken(Http2Error error, Throwable cause) {
    if (!done) {
      output.goAway(error.code());
      output.flush();
      end(Failure.MALFORMED, cause);
      context.close();
    }
  }

  /** After requests ended, or the server announced its end. */
  private void settle() {
    if (!done && retired && streams.count() == 0) {
      output.flush();
      end(Failure.CLOSED, null);
      context.close();
    } else if (!done && ended) {
      ended = false;
      sink.room(this);
    }
    flush();
  }

  private void end(Failure failure, Throwable cause) {
    if (done) {
      return;
    }
    done = true;
    if (!opened) {
      sink.refused(cause);
      return;
    }
    for (int slot = 0; slot < streams.slots(); slot++) {
      if (streams.id(slot) != 0) {
        fail(slot, failure);
      }
    }
    if (!forgotten) {
      sink.closed(this);
    }
  }

  /** What the server sends. */
  private final class Frames extends Http2FrameAdapter {
    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings)
        throws Http2Exception {
      if (settings.maxFrameSize() != null) {
        output.maxFrameBytes(settings.maxFrameSize());
      }
      Long tableBytes = settings.headerTableSize();
      if (tableBytes != null && tableBytes < Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE) {
        output.shrinkTable();
      }
      if (settings.initialWindowSize() != null
          && !bodies.initialWindow(settings.initialWindowSize())) {
        throw Http2Exception.connectionError(
            Http2Error.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
      }
      output.settingsAck();
      if (settings.maxConcurrentStreams() != null) {
        ended |= settings.maxConcurrentStreams() > peerMaxStreams;
        peerMaxStreams = settings.maxConcurrentStreams();
      }
      if (!opened) {
        opened = true;
        sink.opened(Http2Connection.this);
      }
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx,
        int streamId,
        Http2Headers headers,
        int streamDependency,
        short weight,
        boolean exclusive,
        int padding,
        boolean endStream)
        throws Http2Exception {
      onHeadersRead(ctx, streamId, headers, padding, endStream);
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx,
        int streamId,
        Http2Headers headers,
        int padding,
        boolean endStream)
        throws Http2Exception {
      int slot = openStream(streamId);
      if (slot == StreamTable.NONE) {
        return;
      }
      if (streams.status[slot] == 0) {
        int status = StatusText.http(headers.status());
        if (status < 100 || status >= 600 || status < 200 && endStream) {
          malformed(streamId, Http2Error.PROTOCOL_ERROR);
          return;
        }
        if (status < 200) {
          return;
        }
        streams.status[slot] = status;
      } else if (!endStream || headers.status() != null) {
        malformed(streamId, Http2Error.PROTOCOL_ERROR);
        return;
      }
      if (endStream) {
        answered(slot, StatusText.grpc(((AnswerFields) headers).grpcStatus()));
      }
    }

    @Override
    public int onDataRead(
        ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endStream)
        throws Http2Exception {
      int bytes = data.readableBytes() + padding;
      receivedBytes += bytes;
      if (receivedBytes >= GIVE_BACK_BYTES) {
        output.windowUpdate(0, receivedBytes);
        receivedBytes = 0;
      }
      int slot = openStream(streamId);
      if (slot == StreamTable.NONE) {
        return bytes;
      }
      if (streams.status[slot] == 0) {
        malformed(streamId, Http2Error.PROTOCOL_ERROR);
      } else if (endStream) {
        answered(slot, StatusText.GRPC_UNKNOWN);
      } else {
        streams.receivedBytes[slot] += bytes;
        if (streams.receivedBytes[slot] >= GIVE_BACK_BYTES) {
          output.windowUpdate(streamId, streams.receivedBytes[slot]);
          streams.receivedBytes[slot] = 0;
        }
      }
      return bytes;
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode)
        throws Http2Exception {
      int slot = openStream(streamId);
      if (slot != StreamTable.NONE) {
        fail(slot, Failure.RESET);
      }
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext ctx, int streamId, int bytes)
        throws Http2Exception {
      if (streamId == 0) {
        if (!bodies.connectionGrows(bytes)) {
          throw Http2Exception.connectionError(
              Http2Error.FLOW_CONTROL_ERROR, "a window of more than 2^31-1 bytes");
        }
        return;
      }
      int slot = openStream(streamId);
      if (slot != StreamTable.NONE && !bodies.streamGrows(slot, bytes)) {
        malformed(streamId, Http2Error.FLOW_CONTROL_ERROR);
      }
    }

    /** Where the stream is, or none if it has ended, as the server need not know yet. */
    private int openStream(int streamId) throws Http2Exception {
      int slot = streams.find(streamId);
      if (slot == StreamTable.NONE && streams.isIdle(streamId)) {
        throw Http2Exception.connectionError(
            Http2Error.PROTOCOL_ERROR, "a frame of stream %d, which is idle", streamId);
      }
      return slot;
    }

    @Override
    public void onPingRead(ChannelHandlerContext ctx, long data) {
      output.pingAck(data);
    }

    @Override
    public void onPushPromiseRead(
        ChannelHandlerContext ctx,
        int streamId,
        int promisedStreamId,
        Http2Headers headers,
        int padding)
        throws Http2Exception {
      throw Http2Exception.connectionError(
          Http2Error.PROTOCOL_ERROR, "a push, which was not allowed");
    }

    @Override
    public void onGoAwayRead(
        ChannelHandlerContext ctx, int lastStreamId, long errorCode, ByteBuf debugData) {
      retired = true;
      for (int slot = 0; slot < streams.slots(); slot++) {
        if (streams.id(slot) > lastStreamId) {
          fail(slot, Failure.CLOSED);
        }
      }
    }
  }
}
