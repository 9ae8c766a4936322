package dev.weir.bench.load;

import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameReader;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.Http2Output;
import dev.weir.proxy.http2.Setting;
import dev.weir.proxy.http2.hpack.FieldBlock;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.DecoderException;
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
  /** Window of each stream and of the connection, in bytes: no usual answer fills it. */
  static final int WINDOW_BYTES = 1 << 30;

  private static final int TYPE_OFFSET = 3;
  private static final int SHOWN_BYTES = 64;

  private final LoadSink sink;
  private final int maxStreams;
  private final boolean grpc;
  private final AnswerFields answers;
  private final StreamTable streams;
  private final OpenRequests requests;
  private final FieldTable fields = new FieldTable();
  private final FrameReader reader = new FrameReader(AnswerFields.MAX_LIST_BYTES);

  private ChannelHandlerContext context;
  private Http2Output output;
  private RequestBodies bodies;
  private AnswerFrames frames;
  private long peerMaxStreams = Long.MAX_VALUE;
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
   * @param block which the connections of an event loop share.
   */
  Http2Connection(LoadSink sink, int maxStreams, boolean grpc, FieldBlock block) {
    this(sink, maxStreams, grpc, block, StreamTable.FIRST_ID);
  }

  Http2Connection(
      LoadSink sink, int maxStreams, boolean grpc, FieldBlock block, int firstStreamId) {
    this.sink = sink;
    this.maxStreams = maxStreams;
    this.grpc = grpc;
    answers = new AnswerFields(block);
    streams = new StreamTable(maxStreams, firstStreamId);
    requests = new OpenRequests(streams);
  }

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
    int slot = requests.open(dueNs, nowNs);
    byte[] body = request.body();
    fields.encode(request);
    output.headers(streams.id(slot), fields.block(), fields.blockBytes(), body.length == 0);
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
      if (streams.id(slot) != 0 && requests.startedNs[slot] - startedBeforeNs < 0) {
        output.reset(streams.id(slot), ErrorCode.CANCEL);
        failed(slot, Failure.TIMEOUT);
      }
    }
    settle();
  }

  @Override
  public void close() {
    done = true;
    forgotten = true;
    requests.clear();
    if (context != null) {
      context.close();
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    output = new Http2Output(added.channel());
    bodies = new RequestBodies(requests, output);
    frames = new AnswerFrames(this, answers, requests, output, bodies);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    output.preface();
    output.settings(
        Setting.ENABLE_PUSH,
        0,
        Setting.INITIAL_WINDOW_SIZE,
        WINDOW_BYTES,
        Setting.MAX_HEADER_LIST_SIZE,
        AnswerFields.MAX_LIST_BYTES);
    output.windowUpdate(0, WINDOW_BYTES - Setting.DEFAULT_WINDOW_BYTES);
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
    int error = reader.read(in, frames);
    if (error != ErrorCode.NO_ERROR) {
      broken(error, new IOException("the server breaks HTTP/2: " + ErrorCode.name(error)));
    }
  }

  /** Whether there is enough to see that the peer speaks HTTP/2; tells if it does not. */
  private boolean startsWithSettings(ByteBuf in) {
    if (in.readableBytes() < FrameReader.HEADER_BYTES) {
      return false;
    }
    int start = in.readerIndex();
    if (in.getByte(start + TYPE_OFFSET) == FrameType.SETTINGS) {
      return true;
    }
    String shown =
        in.toString(start, Math.min(in.readableBytes(), SHOWN_BYTES), StandardCharsets.ISO_8859_1)
            .replaceAll("[^\\x20-\\x7e]+", " ")
            .trim();
    broken(
        ErrorCode.PROTOCOL_ERROR,
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
      broken(ErrorCode.INTERNAL_ERROR, cause.getCause());
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

  /** The whole answer on a stream has come. */
  void answered(int slot, int grpcStatus) {
    if (requests.body[slot] != null) {
      // The answer did not wait for the whole request, and need not have the rest.
      output.reset(streams.id(slot), ErrorCode.CANCEL);
    }
    int status = requests.status[slot];
    requests.free(slot);
    ended = true;
    sink.answered(status, grpc ? grpcStatus : -1, requests.dueNs[slot], requests.startedNs[slot]);
  }

  /** The request on a stream has ended without a whole answer. */
  void failed(int slot, Failure failure) {
    requests.free(slot);
    ended = true;
    sink.failed(failure, requests.dueNs[slot], requests.startedNs[slot]);
  }

  /** An answer cannot be as it was sent: its stream alone is given up. */
  void malformed(int slot, int errorCode) {
    output.reset(streams.id(slot), errorCode);
    failed(slot, Failure.MALFORMED);
  }

  /** The server's settings have come, for the first time or again. */
  void opened() {
    if (!opened) {
      opened = true;
      sink.opened(this);
    }
  }

  /** The server takes that many streams at once. */
  void peerMaxStreams(long streamCount) {
    ended |= streamCount > peerMaxStreams;
    peerMaxStreams = streamCount;
  }

  /** The server keeps so many bytes of fields. */
  void peerTable(long bytes) {
    fields.resize(bytes);
  }

  /** The server goes away, and answers no stream above that one. */
  void retired(int lastStreamId) {
    retired = true;
    for (int slot = 0; slot < streams.slots(); slot++) {
      if (streams.id(slot) > lastStreamId) {
        failed(slot, Failure.CLOSED);
      }
    }
  }

  private void broken(int error, Throwable cause) {
    if (!done) {
      output.goAway(0, error);
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
        failed(slot, failure);
      }
    }
    if (!forgotten) {
      sink.closed(this);
    }
  }
}
