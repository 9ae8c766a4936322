package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import io.netty.buffer.ByteBuf;

/**
 * The owner of one stream: receives what arrives on it after its head, until it calls {@link
 * Http2Connection#release}. All calls are on the connection's event loop.
 */
public interface StreamOwner {
  /**
   * Content has arrived, or only the end.
   *
   * @param in has it in the {@code bytes} from {@code offset} on, wherever its indices are; valid
   *     during the call.
   * @return how much of it is held, until {@link Http2Connection#credit}; from 0 to {@code bytes}.
   */
  int dataReceived(ByteBuf in, int offset, int bytes, boolean endStream);

  /**
   * Trailers have arrived, which end the stream. They have no pseudo-header fields.
   *
   * @param fields valid during the call; may be {@link FieldBlock#tooLarge}.
   */
  void trailersReceived(FieldBlock fields);

  /**
   * The stream has ended early. No other call follows, and it still has to be released.
   *
   * @param errorCode the peer's, or ours.
   */
  void cancelled(StreamEnd how, int errorCode);

  /**
   * Content that waited since {@link Http2Connection#sendData} has been written.
   *
   * @param bytes of it.
   */
  void bytesSent(int bytes);
}
