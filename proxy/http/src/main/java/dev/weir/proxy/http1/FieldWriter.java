package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.ForwardedFields;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/** Writes fields that came in another protocol, or that Weir adds, as lines of HTTP/1.1. */
final class FieldWriter implements ForwardedFields.Notation {
  static final FieldWriter NOTATION = new FieldWriter();

  /** The bytes around a field's name and value. */
  static final int ADDED_BYTES = 4;

  /** The beginning of each known field's line, by ordinal, with the name as it is usually spelt. */
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
    return Ascii.findControl(bytes, from, to) == to;
  }

  /**
   * Appends one field, unless its name is no token or its value holds a control character: what
   * that would be in HTTP/1.1 is not for another protocol to say.
   */
  static void write(RequestView fields, int index, ByteBuf out) {
    DirectBuffer bytes = fields.bytes();
    int name = fields.nameOffset(index);
    int nameLength = fields.nameLength(index);
    int value = fields.valueOffset(index);
    int valueEnd = value + fields.valueLength(index);
    if (Ascii.isToken(bytes, name, nameLength) && NOTATION.canHold(bytes, value, valueEnd)) {
      TextWriter.copy(bytes, name, nameLength, out);
      out.writeByte(':').writeByte(' ');
      TextWriter.copy(bytes, value, valueEnd - value, out);
      out.writeByte('\r').writeByte('\n');
    }
  }
}
