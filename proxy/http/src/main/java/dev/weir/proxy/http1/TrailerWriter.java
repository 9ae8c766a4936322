package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import org.agrona.DirectBuffer;

/**
 * Writes the end of a chunked body with trailers from another protocol (RFC 9112, section 7.1.2).
 * Fields that may not be trailers are dropped, and so are bytes that are no field in HTTP/1.1, as
 * the last defence against a message that contains another.
 */
public final class TrailerWriter {
  private static final byte[] LAST_CHUNK_SIZE = TextWriter.ascii("0\r\n");

  private TrailerWriter() {}

  /** The most bytes that {@link #write} appends. */
  public static int maxBytes(RequestView fields) {
    return ChunkWriter.MAX_BYTES + fields.fieldBytes(FieldWriter.ADDED_BYTES);
  }

  /** Appends the last chunk, the fields and the end of the body. */
  public static void write(RequestView fields, ByteBuf out) {
    DirectBuffer bytes = fields.bytes();
    out.writeBytes(LAST_CHUNK_SIZE);
    for (int i = 0; i < fields.fieldCount(); i++) {
      if (!fields.omits(i)
          && FieldPolicy.mayTrail(bytes, fields.nameOffset(i), fields.nameLength(i))) {
        FieldWriter.write(fields, i, out);
      }
    }
    ChunkWriter.writeEnd(out);
  }
}
