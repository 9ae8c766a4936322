package dev.weir.proxy.http1;

import io.netty.buffer.ByteBuf;

/**
 * The upstream's side of one exchange: takes a request in HTTP/1.1 framing. Ends with the last byte
 * of the response, with {@link ResponseSink#upstreamFailed} or with {@link #abandon}, whichever
 * comes first; no call is made after that. All calls are on the event loop of both sides.
 */
public interface RequestSink extends BodySink {
  /**
   * Takes over {@code bytes}: whole head first, then body.
   *
   * @param headMethod whether the request's method is HEAD; asked of the head only.
   */
  void writeHead(ByteBuf bytes, boolean headMethod, boolean upgrade);

  /** Takes over {@code bytes} of the body, or of the tunnel. */
  @Override
  void writeBody(ByteBuf bytes);

  /**
   * The client sends no more into the tunnel. If {@link ResponseSink#tunnelEnded} has been called,
   * this ends the exchange.
   */
  void endTunnel();

  /** The last byte of the request has been written. */
  void requestComplete();

  /** Sends what has been written. */
  void flush();

  /** Whether the socket takes more; if not, {@link ResponseSink#upstreamWritable} will say when. */
  boolean isWritable();

  /** Stops or resumes reading the response: the client is slower than the upstream. */
  void readResponse(boolean read);

  /**
   * The client is gone. The connection is closed, a tunnel's with a reset: what it would still
   * carry is nobody's.
   */
  void abandon();
}
