package dev.weir.proxy.http2.hpack;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Encodes a field block of HPACK (RFC 7541) that neither uses nor changes the dynamic table, so
 * that the same bytes mean the same on every connection and at any time. Strings are not Huffman
 * coded. For blocks that are made once and sent often.
 */
public final class HpackEncoder {
  private static final int INDEXED = 0x80;
  private static final int INDEXED_BITS = 7;
  private static final int LITERAL_NOT_INDEXED = 0x00;
  private static final int LITERAL_BITS = 4;
  private static final int PLAIN = 0x00;
  private static final int LENGTH_BITS = 7;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(128);

  /**
   * Adds a field.
   *
   * @param name in lower case; pseudo fields go first.
   * @param value of the characters U+0000 to U+00FF, a byte each.
   */
  public HpackEncoder add(String name, String value) {
    int pair = StaticTable.pair(name, value);
    if (pair != StaticTable.NONE) {
      number(INDEXED, INDEXED_BITS, pair);
      return this;
    }
    int index = StaticTable.name(name);
    number(LITERAL_NOT_INDEXED, LITERAL_BITS, index);
    if (index == StaticTable.NONE) {
      text(name);
    }
    text(value);
    return this;
  }

  private void text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    number(PLAIN, LENGTH_BITS, bytes.length);
    out.writeBytes(bytes);
  }

  /** RFC 7541, section 5.1. */
  private void number(int pattern, int bits, int number) {
    int prefix = (1 << bits) - 1;
    if (number < prefix) {
      out.write(pattern | number);
      return;
    }
    out.write(pattern | prefix);
    int rest = number - prefix;
    while (rest >= 128) {
      out.write(rest & 127 | 128);
      rest >>>= 7;
    }
    out.write(rest);
  }

  /** The block of the fields that were added. */
  public byte[] bytes() {
    return out.toByteArray();
  }
}
