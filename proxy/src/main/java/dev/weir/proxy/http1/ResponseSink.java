package dev.weir.proxy.http1;

import dev.weir.proxy.request.RefusalReason;
import io.netty.buffer.ByteBuf;

/**
 * The client's side of one exchange: takes the response. All calls are on the event loop of both
 * sides.
 */
public interface ResponseSink {
  /** There is a connection: the request may be written to it. */
  void upstreamReady(RequestSink upstream);

  /** There will be no response, or no more of it. */
  void upstreamFailed(RefusalReason reason);

  /** The upstream takes more of the request. */
  void upstreamWritable();

  /**
   * A response's head has arrived; informational ones come before the final one.
   *
   * @param head valid during the call.
   * @param in holds the head's bytes; stays the caller's.
   * @param headStart where the head starts in {@code in}.
   * @param headLength its length in bytes.
   * @param arrivedNs when it arrived.
   * @return whether the client takes the body's data only, without the chunked framing.
   */
  boolean responseHead(
      ResponseHead head, ByteBuf in, int headStart, int headLength, long arrivedNs);

  /** Takes over {@code bytes} of the response's body, framed as {@link #responseHead} asked. */
  void responseBody(ByteBuf bytes);

  /** The response is whole. */
  void responseComplete();

  /** Sends what has been passed on. */
  void responseFlush();

  /** Takes over {@code bytes} of a tunnel. */
  void tunnelled(ByteBuf bytes);

  /**
   * The service sends no more into the tunnel. If {@link RequestSink#endTunnel} has been called,
   * this ends the exchange.
   */
  void tunnelEnded();
}
