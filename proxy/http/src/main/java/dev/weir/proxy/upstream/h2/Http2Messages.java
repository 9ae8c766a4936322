package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.exchange.BodyForm;
import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.grpc.GrpcTimeout;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.message.RequestHeadWriter;
import dev.weir.proxy.http2.message.ResponseHead;
import dev.weir.proxy.http2.message.TrailerWriter;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Writes and reads the heads and trailers of one event loop's HTTP/2 exchanges with a service, one
 * at a time.
 */
final class Http2Messages {
  /** The most fields in a response's head. */
  private static final int MAX_FIELD_COUNT = 256;

  private final RequestHeadWriter headWriter;
  private final TrailerWriter trailerWriter = new TrailerWriter();
  private final ResponseHead head = new ResponseHead(MAX_FIELD_COUNT);
  private final byte[] timeText = new byte[GrpcTimeout.MAX_BYTES];

  /**
   * @param authority for {@code :authority}, if a client gave none.
   * @param isSecure whether connections use TLS.
   */
  Http2Messages(String authority, boolean isSecure) {
    headWriter = new RequestHeadWriter(authority, isSecure);
  }

  /** Encodes a head, which may have to wait for its stream. */
  void encode(IncomingRequest incoming, EncodedHead out) {
    ByteBuf block = headWriter.write(incoming, ByteBufAllocator.DEFAULT);
    out.set(block, incoming, BodyForm.DATA);
    out.isBlock(headWriter.timeoutOffset());
  }

  /** The block of a head; with the rest of its {@code grpc-timeout} if it has waited here. */
  ByteBuf finish(EncodedHead encoded) {
    int timeoutOffset = encoded.timeoutOffset();
    long timeLeftNs = encoded.timeLeftNs();
    ByteBuf block = encoded.take();
    if (timeoutOffset >= 0 && timeLeftNs != EncodedHead.AS_RECEIVED) {
      block.writerIndex(block.readerIndex() + timeoutOffset);
      headWriter.writeTimeout(timeText, GrpcTimeout.write(timeLeftNs, timeText), block);
    }
    return block;
  }

  /** Sends trailers, which end a stream. */
  void sendTrailers(Http2Connection connection, int stream, RequestView fields) {
    trailerWriter.send(connection, stream, fields);
  }

  /** The reader of heads and trailers. */
  ResponseHead head() {
    return head;
  }
}
