package dev.weir.proxy.client;

import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.ResponseHeadWriter;
import dev.weir.proxy.http1.TextWriter;
import dev.weir.proxy.loop.Bytes;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * Passes the upstream's response to one client. A small body goes out in the buffer of its head,
 * and so in one write; a body that ends with the upstream's connection is chunked for a client of
 * HTTP/1.1, and one that is chunked loses its framing for a client of HTTP/1.0.
 */
final class ResponseWriter {
  /** Beyond the upstream's own fields and the RateLimit fields: what is added to a head. */
  private static final int ADDED_BYTES = 256;

  /** A body up to that long is copied behind its head rather than written apart. */
  private static final int COPIED_BODY_BYTES = 4096;

  private static final byte[] CONTINUE = TextWriter.ascii("HTTP/1.1 100 Continue\r\n\r\n");
  private static final byte[] LAST_CHUNK = TextWriter.ascii("0\r\n\r\n");

  private final ClientLoop loop;
  private final Channel channel;
  private ByteBuf pending;
  private boolean http10;
  private boolean started;
  private boolean saidContinue;
  private boolean chunks;
  private boolean endsWithConnection;
  private int status;
  private QuotaPolicy policy;
  private long remaining;
  private long waitNs;
  private long upstreamNs;
  private long outboundNs;
  private long responseNs;

  ResponseWriter(ClientLoop loop, Channel channel) {
    this.loop = loop;
    this.channel = channel;
  }

  /** Starts with a new request. */
  void start(RequestHead head) {
    http10 = head.http10();
    started = false;
    saidContinue = false;
    policy = null;
  }

  /** Keeps what the client is to be told of its limit. */
  void limit(Verdict verdict) {
    policy = verdict.policy();
    remaining = verdict.remaining();
    waitNs = verdict.resetAfterNs();
  }

  /**
   * @param upstreamNs how long the service took.
   * @param outboundNs from the request's arrival to its departure, less what it was held.
   * @param responseNs when the response arrived.
   */
  void timing(long upstreamNs, long outboundNs, long responseNs) {
    this.upstreamNs = upstreamNs;
    this.outboundNs = outboundNs;
    this.responseNs = responseNs;
  }

  /** Tells the client to send its body. What the service says to the same end is dropped. */
  void sayContinue() {
    saidContinue = true;
    ByteBuf out = channel.alloc().directBuffer(CONTINUE.length);
    Bytes.write(channel, out.writeBytes(CONTINUE));
    Bytes.flush(channel);
  }

  void informational(ResponseHead head, ByteBuf in, int headStart, int headLength) {
    if (http10 || head.status() == 100 && saidContinue) {
      return; // has no such responses, or has had this one
    }
    ByteBuf out = open(headLength, 0);
    ResponseHeadWriter.write(head, in, headStart, headLength, true, true, out);
    ResponseHeadWriter.end(out);
    Bytes.write(channel, out);
  }

  void switchingProtocols(ResponseHead head, ByteBuf in, int headStart, int headLength) {
    started = true;
    ByteBuf out = open(headLength, 0);
    ResponseHeadWriter.write(head, in, headStart, headLength, true, true, out);
    ResponseHeadWriter.addUpgrade(out);
    ResponseHeadWriter.end(out);
    Bytes.write(channel, out);
  }

  /**
   * Writes the final head.
   *
   * @return whether the body is to come without its chunked framing.
   */
  boolean head(
      ResponseHead head,
      ByteBuf in,
      int headStart,
      int headLength,
      boolean headMethod,
      boolean keepAlive) {
    started = true;
    status = head.status();
    boolean hasBody = !head.bodyless(headMethod);
    boolean unframed = hasBody && head.closeDelimited();
    boolean dechunks = http10 && head.chunked();
    chunks = unframed && !http10;
    endsWithConnection = http10 && hasBody && (unframed || dechunks);

    long theirs =
        policy != null && loop.rateLimitFields.writesXRateLimit() ? head.rateLimitRemaining() : -1;
    boolean oursIsStricter = theirs < 0 || remaining < theirs;
    boolean keepTheirs = theirs < 0 || !oursIsStricter;

    ByteBuf out = open(headLength + COPIED_BODY_BYTES, RateLimitFields.bound(policy));
    ResponseHeadWriter.write(head, in, headStart, headLength, !dechunks, keepTheirs, out);
    loop.rateLimitFields.write(out, policy, remaining, waitNs, oursIsStricter);
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
    return dechunks;
  }

  private ByteBuf open(int bytes, int fieldBytes) {
    return channel.alloc().directBuffer(bytes + fieldBytes + ADDED_BYTES);
  }

  void body(ByteBuf bytes) {
    int length = bytes.readableBytes();
    if (chunks) {
      ByteBuf out = pending == null ? channel.alloc().directBuffer(32) : pending;
      pending = null;
      TextWriter.writeHex(out, length);
      out.writeByte('\r').writeByte('\n');
      Bytes.write(channel, out);
      Bytes.write(channel, bytes);
      ByteBuf end = channel.alloc().directBuffer(2);
      Bytes.write(channel, end.writeByte('\r').writeByte('\n'));
    } else if (pending != null && length <= pending.writableBytes()) {
      pending.writeBytes(bytes);
      bytes.release();
    } else {
      writePending();
      Bytes.write(channel, bytes);
    }
  }

  private void writePending() {
    if (pending != null) {
      ByteBuf out = pending;
      pending = null;
      Bytes.write(channel, out);
    }
  }

  void flush() {
    writePending();
    Bytes.flush(channel);
  }

  void complete() {
    writePending();
    if (chunks) {
      ByteBuf end = channel.alloc().directBuffer(LAST_CHUNK.length);
      Bytes.write(channel, end.writeBytes(LAST_CHUNK));
    }
    Bytes.flush(channel);
  }

  /** Forgets what has not been written: the client is gone. */
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

  /** Whether any of the final response may have reached the client. */
  boolean started() {
    return started;
  }

  /** Whether only the end of the connection can say where the body ends. */
  boolean endsWithConnection() {
    return endsWithConnection;
  }

  int status() {
    return status;
  }

  long upstreamNs() {
    return upstreamNs;
  }

  /** What the proxy added: on the way out, and from the response's arrival until {@code nowNs}. */
  long overheadNs(long nowNs) {
    return outboundNs + nowNs - responseNs;
  }
}
