package dev.weir.proxy.http2.message;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.http2.Http2Connection;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;

/**
 * Writes trailers, of whatever protocol, as a field block of HTTP/2. Fields that may not stand
 * behind a body are left out. One per event loop.
 */
public final class TrailerWriter {
  private final FieldEncoder encoder = new FieldEncoder();

  /** Sends trailers on a stream, which they end; or its end alone if none of them may pass. */
  public void send(Http2Connection connection, int stream, RequestView fields) {
    int bytes = select(fields);
    if (bytes == 0) {
      connection.sendData(stream, Unpooled.EMPTY_BUFFER, true);
    } else if (connection.sendsAtOnce(stream)) {
      write(fields, connection.beginHead(stream));
      connection.endHead(stream, true);
    } else {
      ByteBuf block = ByteBufAllocator.DEFAULT.directBuffer(bytes);
      write(fields, block);
      connection.sendTrailers(stream, block);
    }
  }

  /** Omits the fields that may not pass; how many bytes the others take at most. */
  private static int select(RequestView fields) {
    int bytes = 0;
    for (int i = 0; i < fields.fieldCount(); i++) {
      if (fields.omits(i)) {
        continue;
      }
      if (FieldPolicy.mayTrail(fields.bytes(), fields.nameOffset(i), fields.nameLength(i))) {
        bytes += fields.nameLength(i) + fields.valueLength(i) + FieldEncoder.FIELD_OVERHEAD_BYTES;
      } else {
        fields.omit(i);
      }
    }
    return bytes;
  }

  private void write(RequestView fields, ByteBuf out) {
    for (int i = 0; i < fields.fieldCount(); i++) {
      if (!fields.omits(i)) {
        encoder.field(
            out,
            fields.bytes(),
            fields.nameOffset(i),
            fields.nameLength(i),
            fields.valueOffset(i),
            fields.valueLength(i),
            false);
      }
    }
  }
}
