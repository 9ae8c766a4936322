package dev.weir.proxy.http1;

import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import org.agrona.DirectBuffer;

/** Writes fields that came in another protocol as lines of HTTP/1.1. */
final class FieldWriter {
  /** What stands around a field's name and value. */
  static final int ADDED_BYTES = 4;

  private FieldWriter() {}

  /**
   * Appends one field, unless its name is no token or its value holds a control character: what
   * that would be in HTTP/1.1 is not for another protocol to say.
   */
  static void write(RequestView fields, int index, ByteBuf out) {
    DirectBuffer bytes = fields.bytes();
    int name = fields.nameOffset(index);
    int nameEnd = name + fields.nameLength(index);
    int value = fields.valueOffset(index);
    int valueEnd = value + fields.valueLength(index);
    if (isToken(bytes, name, nameEnd) && Grammar.findControl(bytes, value, valueEnd) == valueEnd) {
      copy(bytes, name, nameEnd, out);
      out.writeByte(':').writeByte(' ');
      copy(bytes, value, valueEnd, out);
      out.writeByte('\r').writeByte('\n');
    }
  }

  /** Whether {@code bytes[from, to)} is a token. */
  static boolean isToken(DirectBuffer bytes, int from, int to) {
    int at = from;
    while (at < to && Grammar.isToken(bytes.getByte(at))) {
      at++;
    }
    return at == to && to > from;
  }

  /** Appends {@code bytes[from, to)}. */
  static void copy(DirectBuffer bytes, int from, int to, ByteBuf out) {
    for (int i = from; i < to; i++) {
      out.writeByte(bytes.getByte(i));
    }
  }
}
