package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.request.RequestEnd;
import io.netty.buffer.ByteBuf;

/**
 * What one stream of a client is for: it is told what comes on the stream, until it lets go of it
 * by {@link Http2Connection#release}. All calls are on the connection's event loop.
 */
public interface StreamOwner {
  /**
   * Some content has come; or none, and the end.
   *
   * @param in has it in the {@code bytes} from {@code offset} on; valid during the call.
   * @return how much of it is held, until {@link Http2Connection#credit}; from 0 to {@code bytes}.
   */
  int dataReceived(ByteBuf in, int offset, int bytes, boolean endStream);

  /**
   * Trailers have come, which end the stream.
   *
   * @param fields valid during the call; may be {@link FieldBlock#tooLarge}.
   */
  void trailersReceived(FieldBlock fields);

  /**
   * The stream has ended before its time: it is still to be released.
   *
   * @param errorCode the client's; {@link RequestEnd#NO_CODE} if it gave none.
   */
  void cancelled(int errorCode);

  /** Content that waited for a window has left. */
  void bytesSent(int bytes);
}
