package dev.weir.proxy.http2.hpack;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/** What a block was decoded to, as text, a line for each field. */
public final class Fields {
  private Fields() {}

  /** A block of the sizes that the proxy takes. */
  public static FieldBlock block() {
    return new FieldBlock(32 * 1024, 100, 32 * 1024);
  }

  public static List<String> of(FieldBlock block) {
    final List<String> fields = new ArrayList<>();
    for (int i = 0; i < block.count(); i++) {
      fields.add(name(block, i) + ": " + value(block, i));
    }
    return fields;
  }

  public static String name(FieldBlock block, int field) {
    return block.text(block.nameOffset(field), block.nameLength(field));
  }

  public static String value(FieldBlock block, int field) {
    return block.text(block.valueOffset(field), block.valueLength(field));
  }

  /** Decodes all that is readable, and releases it. */
  public static FieldDecoder.Outcome decode(FieldDecoder decoder, ByteBuf in, FieldBlock block) {
    try {
      return decoder.decode(in, in.readerIndex(), in.readableBytes(), block);
    } finally {
      in.release();
    }
  }
}
