package dev.weir.proxy.http2.message;

import dev.weir.proxy.http.FieldPolicy;
import dev.weir.proxy.http2.FieldEncoder;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Writes trailers, of whatever protocol, as a field block of HTTP/2. Fields that may not stand
 * behind a body are left out. One per event loop.
 */
public final class TrailerWriter {
  private final FieldEncoder encoder = new FieldEncoder();

  /**
   * Writes a block.
   *
   * @return a buffer of its own, the caller's to release; without a byte if no field may pass.
   */
  public ByteBuf write(RequestView fields, ByteBufAllocator allocator) {
    int bytes = 0;
    for (int i = 0; i < fields.fieldCount(); i++) {
      bytes += fields.nameLength(i) + fields.valueLength(i) + FieldEncoder.FIELD_OVERHEAD_BYTES;
    }
    ByteBuf out = allocator.directBuffer(Math.max(1, bytes));
    for (int i = 0; i < fields.fieldCount(); i++) {
      if (!fields.omits(i)
          && FieldPolicy.mayTrail(fields.bytes(), fields.nameOffset(i), fields.nameLength(i))) {
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
    return out;
  }
}
