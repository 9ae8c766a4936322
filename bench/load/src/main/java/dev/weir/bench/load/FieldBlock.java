package dev.weir.bench.load;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes a field block of HPACK (RFC 7541) that neither uses nor changes the dynamic table, so that
 * the same bytes mean the same on every connection and at any time. Strings are not Huffman coded.
 */
final class FieldBlock {
  /** The static table's pairs that requests have; the index stands behind. */
  private static final List<Indexed> PAIRS =
      List.of(
          new Indexed(":method", "GET", 2),
          new Indexed(":method", "POST", 3),
          new Indexed(":path", "/", 4),
          new Indexed(":path", "/index.html", 5),
          new Indexed(":scheme", "http", 6),
          new Indexed(":scheme", "https", 7),
          new Indexed("accept-encoding", "gzip, deflate", 16));

  /** The static table's names, without those that only answers have. */
  private static final List<Indexed> NAMES =
      List.of(
          new Indexed(":authority", "", 1),
          new Indexed(":method", "", 2),
          new Indexed(":path", "", 4),
          new Indexed(":scheme", "", 6),
          new Indexed("accept-charset", "", 15),
          new Indexed("accept-encoding", "", 16),
          new Indexed("accept-language", "", 17),
          new Indexed("accept", "", 19),
          new Indexed("authorization", "", 23),
          new Indexed("cache-control", "", 24),
          new Indexed("content-encoding", "", 26),
          new Indexed("content-language", "", 27),
          new Indexed("content-length", "", 28),
          new Indexed("content-type", "", 31),
          new Indexed("cookie", "", 32),
          new Indexed("date", "", 33),
          new Indexed("expect", "", 35),
          new Indexed("from", "", 37),
          new Indexed("if-match", "", 39),
          new Indexed("if-modified-since", "", 40),
          new Indexed("if-none-match", "", 41),
          new Indexed("if-range", "", 42),
          new Indexed("if-unmodified-since", "", 43),
          new Indexed("max-forwards", "", 47),
          new Indexed("proxy-authorization", "", 49),
          new Indexed("range", "", 50),
          new Indexed("referer", "", 51),
          new Indexed("user-agent", "", 58),
          new Indexed("via", "", 60));

  private static final int INDEXED = 0x80;
  private static final int INDEXED_BITS = 7;
  private static final int LITERAL_NOT_INDEXED = 0x00;
  private static final int LITERAL_BITS = 4;
  private static final int PLAIN = 0x00;
  private static final int LENGTH_BITS = 7;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream(128);

  private record Indexed(String name, String value, int index) {}

  /**
   * @param name in lower case.
   * @param value of the characters U+0000 to U+00FF, a byte each.
   */
  FieldBlock add(String name, String value) {
    for (Indexed pair : PAIRS) {
      if (pair.name.equals(name) && pair.value.equals(value)) {
        number(INDEXED, INDEXED_BITS, pair.index);
        return this;
      }
    }
    int index = nameIndex(name);
    number(LITERAL_NOT_INDEXED, LITERAL_BITS, index);
    if (index == 0) {
      text(name);
    }
    text(value);
    return this;
  }

  private static int nameIndex(String name) {
    for (Indexed indexed : NAMES) {
      if (indexed.name.equals(name)) {
        return indexed.index;
      }
    }
    return 0;
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

  byte[] bytes() {
    return out.toByteArray();
  }
}
