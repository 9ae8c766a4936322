package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import io.netty.buffer.ByteBuf;

/**
 * The owner of one stream: is told what comes on the stream behind its head, until it lets go of it
 * by {@link Http2Connection#release}. All calls are on the connection's event loop.
 */
public interface StreamOwner {
  /**
   * Some content has come; or none, and the end.
   *
   * @param in has it in the {@code bytes} from {@code offset} on, wherever its indices are; valid
   *     during the call.
   * @return how much of it is held, until {@link Http2Connection#credit}; from 0 to {@code bytes}.
   */
  int dataReceived(ByteBuf in, int offset, int bytes, boolean endStream);

  /**
   * Trailers have come, which end the stream. They have no pseudo fields.
   *
   * @param fields valid during the call; may be {@link FieldBlock#tooLarge}.
   */
  void trailersReceived(FieldBlock fields);

  /**
   * The stream has ended before its time: nothing more is told of it, and it is still to be
   * released.
   *
   * @param errorCode the peer's, or the one that it was told.
   */
  void cancelled(StreamEnd how, int errorCode);

  /**
   * Content that waited since {@link Http2Connection#sendData} has gone into the output.
   *
   * @param bytes that have.
   */
  void bytesSent(int bytes);
}
