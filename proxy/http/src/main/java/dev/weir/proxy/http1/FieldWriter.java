package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.ForwardedFields;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.exchange.TextWriter;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/** Writes fields that came in another protocol, or that Weir adds, as lines of HTTP/1.1. */
final class FieldWriter implements ForwardedFields.Notation {
  static final FieldWriter NOTATION = new FieldWriter();

  /** What stands around a field's name and value. */
  static final int ADDED_BYTES = 4;

  /** For each known field, by ordinal: its name as it is usually spelt, and what follows that. */
  private static final byte[][] NAMES =
      Arrays.stream(KnownField.values())
          .map(field -> TextWriter.ascii(spelling(field.lowerCaseName()) + ": "))
          .toArray(byte[][]::new);

  private FieldWriter() {}

  private static String spelling(String lowerCase) {
    StringBuilder name = new StringBuilder(lowerCase);
    for (int i = 0; i < name.length(); i++) {
      if (i == 0 || name.charAt(i - 1) == '-') {
        name.setCharAt(i, Character.toUpperCase(name.charAt(i)));
      }
    }
    return name.toString();
  }

  @Override
  public void begin(ByteBuf out, KnownField field, int valueBytes) {
    out.writeBytes(NAMES[field.ordinal()]);
  }

  @Override
  public void end(ByteBuf out) {
    out.writeByte('\r').writeByte('\n');
  }

  @Override
  public boolean canHold(DirectBuffer bytes, int from, int to) {
    return Grammar.findControl(bytes, from, to) == to;
  }

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
    if (isToken(bytes, name, nameEnd) && NOTATION.canHold(bytes, value, valueEnd)) {
      TextWriter.copy(bytes, name, nameEnd - name, out);
      out.writeByte(':').writeByte(' ');
      TextWriter.copy(bytes, value, valueEnd - value, out);
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
}
