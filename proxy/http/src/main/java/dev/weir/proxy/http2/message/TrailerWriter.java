package dev.weir.proxy.http2.message;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Writes trailers, of whatever protocol, as a field block of HTTP/2. Fields that may not stand
 * behind a body are left out. One per event loop.
 */
public final class TrailerWriter {
  private final FieldEncoder encoder = new FieldEncoder();

  /** Omits the fields that may not pass; whether any is left. */
  public boolean select(RequestView fields) {
    boolean isAnyLeft = false;
    for (int i = 0; i < fields.fieldCount(); i++) {
      if (fields.omits(i)) {
        continue;
      }
      if (FieldPolicy.mayTrail(fields.bytes(), fields.nameOffset(i), fields.nameLength(i))) {
        isAnyLeft = true;
      } else {
        fields.omit(i);
      }
    }
    return isAnyLeft;
  }

  /**
   * Writes a block of those fields that {@link #select} has left.
   *
   * @return a buffer of its own, the caller's to release.
   */
  public ByteBuf write(RequestView fields, ByteBufAllocator allocator) {
    int bytes = 0;
    for (int i = 0; i < fields.fieldCount(); i++) {
      bytes += fields.nameLength(i) + fields.valueLength(i) + FieldEncoder.FIELD_OVERHEAD_BYTES;
    }
    ByteBuf out = allocator.directBuffer(Math.max(1, bytes));
    write(fields, out);
    return out;
  }

  /** Appends those fields that {@link #select} has left. */
  public void write(RequestView fields, ByteBuf out) {
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
