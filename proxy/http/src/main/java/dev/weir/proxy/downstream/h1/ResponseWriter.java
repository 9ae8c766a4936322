package dev.weir.proxy.downstream.h1;

import dev.weir.proxy.downstream.answer.LimitValues;
import dev.weir.proxy.downstream.answer.RateLimitFields;
import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.PassedLimit;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.http1.ChunkWriter;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.ResponseHeadWriter;
import dev.weir.proxy.http1.TrailerWriter;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * Passes the service's response to one client. A small body is written in the buffer of its head. A
 * body that ends with the service's connection is chunked for an HTTP/1.1 client; a chunked body
 * loses its framing for an HTTP/1.0 client.
 */
final class ResponseWriter {
  /** The most bytes that are added to a head, besides the RateLimit fields. */
  private static final int ADDED_BYTES = 256;

  /** A body up to this length is copied behind its head instead of being written apart. */
  private static final int COPIED_BODY_BYTES = 4096;

  private static final byte[] CONTINUE = TextWriter.ascii("HTTP/1.1 100 Continue\r\n\r\n");

  private final Http1ClientLoop loop;
  private final Channel channel;
  private ByteBuf pending;
  private WebSocketKey webSocketKey;
  private boolean http10;
  private boolean chunks;
  private boolean endsWithConnection;

  ResponseWriter(Http1ClientLoop loop, Channel channel) {
    this.loop = loop;
    this.channel = channel;
  }

  void start(RequestHead head) {
    http10 = head.http10();
    webSocketKey = head.webSocket() ? head.webSocketKey() : null;
  }

  /** Sends 100 (Continue). */
  void sayContinue() {
    ByteBuf out = channel.alloc().directBuffer(CONTINUE.length);
    ChannelIo.write(channel, out.writeBytes(CONTINUE));
    ChannelIo.flush(channel);
  }

  /** Writes an informational head, and returns the bytes that it takes. */
  int informational(IncomingResponse head) {
    if (http10) {
      return 0; // has no such responses
    }
    ByteBuf out = open(headBytes(head), 0);
    write(head, true, true, out);
    ResponseHeadWriter.end(out);
    int length = out.readableBytes();
    ChannelIo.write(channel, out);
    return length;
  }

  void switchingProtocols(IncomingResponse head) {
    chunks = false;
    ByteBuf out = open(headBytes(head), 0);
    if (head instanceof ResponseHead same) {
      ResponseHeadWriter.write(same, true, true, out);
    } else {
      ResponseHeadWriter.writeForeignWebSocket(head, webSocketKey.accept(), out);
    }
    ResponseHeadWriter.addUpgrade(out);
    ResponseHeadWriter.end(out);
    ChannelIo.write(channel, out);
  }

  /**
   * Writes the final head.
   *
   * @param limit for the RateLimit fields.
   * @param wantsContent whether a chunked body has to come without its framing, and gets another.
   * @return the form in which the body has to come.
   */
  BodyForm head(
      IncomingResponse head,
      PassedLimit limit,
      boolean wantsContent,
      boolean headMethod,
      boolean keepAlive) {
    boolean dechunks;
    boolean unframed;
    if (head instanceof ResponseHead same) {
      boolean hasBody = !same.bodyless(headMethod);
      dechunks = same.chunked() && (http10 || wantsContent && hasBody);
      unframed = hasBody && (same.closeDelimited() || dechunks);
      endsWithConnection = http10 && unframed;
    } else {
      dechunks = true; // it has no chunks of its own
      unframed = head.hasBody() && !isBodyless(head, headMethod) && head.contentLength() < 0;
      endsWithConnection = http10 && unframed;
    }
    chunks = unframed && !http10;

    QuotaPolicy policy = limit.policy();
    boolean replaces = loop.clients.settings.answers().replaces(limit, head);
    ByteBuf out = open(headBytes(head) + COPIED_BODY_BYTES, RateLimitFields.bound(policy));
    write(head, !dechunks, !replaces, out);
    if (!(head instanceof ResponseHead)) {
      frame(head, headMethod, out);
    }
    long waitSeconds = LimitValues.ceilSeconds(limit.resetAfterNs());
    boolean withX = replaces || head.rateLimitRemaining() < 0;
    loop.rateLimitFields.write(out, policy, limit.remaining(), waitSeconds, withX, limit.state());
    if (chunks) {
      ResponseHeadWriter.addChunked(out);
    }
    if (!keepAlive || endsWithConnection) {
      ResponseHeadWriter.addClose(out);
    } else if (http10) {
      ResponseHeadWriter.addKeepAlive(out);
    }
    ResponseHeadWriter.end(out);
    pending = out;
    return dechunks ? BodyForm.DATA : BodyForm.AS_FRAMED;
  }

  private static int headBytes(IncomingResponse head) {
    return head instanceof ResponseHead same
        ? same.source().length()
        : ResponseHeadWriter.mostForeignBytes(head);
  }

  private static void write(
      IncomingResponse head, boolean keepTransferEncoding, boolean keepRateLimit, ByteBuf out) {
    if (head instanceof ResponseHead same) {
      ResponseHeadWriter.write(same, keepTransferEncoding, keepRateLimit, out);
    } else {
      ResponseHeadWriter.writeForeign(head, keepRateLimit, out);
    }
  }

  private static boolean isBodyless(IncomingResponse head, boolean headMethod) {
    return headMethod || head.status() == 204 || head.status() == 304;
  }

  /** Writes Content-Length, if the length of a body from another protocol is known. */
  private static void frame(IncomingResponse head, boolean headMethod, ByteBuf out) {
    if (head.contentLength() >= 0 && head.status() != 204) {
      ResponseHeadWriter.addContentLength(head.contentLength(), out);
    } else if (!head.hasBody() && !isBodyless(head, headMethod)) {
      ResponseHeadWriter.addContentLength(0, out);
    }
  }

  private ByteBuf open(int bytes, int fieldBytes) {
    return channel.alloc().directBuffer(bytes + fieldBytes + ADDED_BYTES);
  }

  /** Takes over {@code bytes} of the body, or of a tunnel; they may be none. */
  void body(ByteBuf bytes) {
    int length = bytes.readableBytes();
    if (length == 0) {
      bytes.release();
    } else if (chunks) {
      writeChunk(bytes, length);
    } else if (pending != null && length <= pending.writableBytes()) {
      pending.writeBytes(bytes);
      bytes.release();
    } else {
      writePending();
      ChannelIo.write(channel, bytes);
    }
  }

  private void writeChunk(ByteBuf bytes, int length) {
    ChunkWriter.writeSize(pending(), length);
    writePending();
    ChannelIo.write(channel, bytes);
    ChunkWriter.writeEnd(pending());
  }

  /** The buffer of what is written next: with the head in it, if that has not been written. */
  private ByteBuf pending() {
    if (pending == null) {
      pending = channel.alloc().directBuffer(2 * ChunkWriter.MAX_BYTES);
    }
    return pending;
  }

  private void writePending() {
    if (pending != null) {
      ByteBuf out = pending;
      pending = null;
      ChannelIo.write(channel, out);
    }
  }

  /**
   * Whether some of the response is written only with a {@link #flush} that follows in this turn.
   */
  boolean awaitsFlush() {
    return pending != null;
  }

  void flush() {
    writePending();
    ChannelIo.flush(channel);
  }

  void complete() {
    if (chunks) {
      ChunkWriter.writeLast(pending());
    }
    flush();
  }

  /** Completes the response with trailers, where its body has a place for them. */
  void complete(RequestView trailers) {
    if (chunks) {
      TrailerWriter.write(trailers, pending().ensureWritable(TrailerWriter.maxBytes(trailers)));
      chunks = false;
    }
    complete();
  }

  /** Discards what has not been written, as the client is gone. */
  void discard() {
    if (pending != null) {
      pending.release();
      pending = null;
    }
  }

  /** Whether the client speaks HTTP/1.0, which closes a connection unless told otherwise. */
  boolean http10() {
    return http10;
  }

  /** Whether only the end of the connection can say where the body ends. */
  boolean endsWithConnection() {
    return endsWithConnection;
  }
}
