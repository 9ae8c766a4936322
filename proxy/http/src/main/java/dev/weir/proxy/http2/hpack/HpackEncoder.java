package dev.weir.proxy.http2.hpack;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * Encodes a field block of HPACK (RFC 7541) that neither uses nor changes the dynamic table, so
 * that the same bytes mean the same on every connection and at any time. Strings are not Huffman
 * coded. For blocks that are made once and sent often.
 */
public final class HpackEncoder {
  private final FieldEncoder encoder = new FieldEncoder();
  private final ByteBuf out = Unpooled.buffer(128);

  /**
   * Adds a field.
   *
   * @param name in lower case; pseudo fields go first.
   * @param value of the characters U+0000 to U+00FF, a byte each.
   */
  public HpackEncoder add(String name, String value) {
    int pair = StaticTable.pair(name, value);
    if (pair == StaticTable.NONE) {
      encoder.literal(out, StaticTable.name(name), latin1(name), latin1(value));
    } else {
      encoder.indexed(out, pair);
    }
    return this;
  }

  private static byte[] latin1(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The block of the fields that were added. */
  public byte[] bytes() {
    return ByteBufUtil.getBytes(out);
  }
}
