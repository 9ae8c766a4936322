package dev.weir.proxy.rule;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * An identity as people may read it, in ASCII: its parts with {@code +} between them. A value's
 * letters, digits and {@code -._~@} stand for themselves, all other bytes are percent-encoded. An
 * absent part is {@code !}, an address that stands in for one {@code =192.0.2.1}. So no two
 * identities of one key have the same text, and none holds a colon, a brace or a blank.
 */
public final class IdentityText {
  /** {@link #write}: there was no room. */
  public static final int TOO_LONG = -1;

  private static final byte[] HEX = {
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'
  };

  private static final int GROUPS = 8;

  private IdentityText() {}

  /**
   * Writes the text of an identity.
   *
   * @param end where the room for it ends.
   * @return where the text ends, or {@link #TOO_LONG}; then the room holds a part of it.
   */
  public static int write(Identity identity, MutableDirectBuffer target, int at, int end) {
    DirectBuffer bytes = identity.bytes();
    int out = at;
    for (int in = 0; in < identity.length(); ) {
      byte tag = bytes.getByte(in);
      int length = bytes.getInt(in + 1, ByteOrder.BIG_ENDIAN);
      in += IdentityReader.PART_HEADER_BYTES;
      // The longest that takes a fixed room: a separator, a sign and an address.
      if (out + 2 + 5 * GROUPS > end) {
        return TOO_LONG;
      }
      if (out > at) {
        target.putByte(out++, (byte) '+');
      }
      switch (tag) {
        case IdentityReader.ABSENT -> target.putByte(out++, (byte) '!');
        case IdentityReader.ADDRESS -> out = address(bytes, in, target, out);
        case IdentityReader.STAND_IN -> {
          target.putByte(out++, (byte) '=');
          out = address(bytes, in, target, out);
        }
        default -> {
          out = escape(bytes, in, length, target, out, end);
          if (out == TOO_LONG) {
            return TOO_LONG;
          }
        }
      }
      in += length;
    }
    return out;
  }

  /** Percent-encodes what might be taken for the structure of a key. */
  static int escape(
      DirectBuffer bytes, int from, int length, MutableDirectBuffer target, int at, int end) {
    int out = at;
    for (int i = from; i < from + length; i++) {
      if (out + 3 > end) {
        return TOO_LONG;
      }
      byte b = bytes.getByte(i);
      if (isPlain(b)) {
        target.putByte(out++, b);
      } else {
        target.putByte(out++, (byte) '%');
        target.putByte(out++, HEX[b >>> 4 & 0xF]);
        target.putByte(out++, HEX[b & 0xF]);
      }
    }
    return out;
  }

  private static boolean isPlain(byte b) {
    return b >= 'a' && b <= 'z'
        || b >= 'A' && b <= 'Z'
        || b >= '0' && b <= '9'
        || b == '-'
        || b == '.'
        || b == '_'
        || b == '~'
        || b == '@';
  }

  private static int address(DirectBuffer bytes, int from, MutableDirectBuffer target, int at) {
    long high = bytes.getLong(from, ByteOrder.BIG_ENDIAN);
    long low = bytes.getLong(from + Long.BYTES, ByteOrder.BIG_ENDIAN);
    int out = at;
    if (high == 0 && low >>> 32 == 0xFFFF) {
      for (int shift = 24; shift >= 0; shift -= 8) {
        out += target.putNaturalIntAscii(out, (int) (low >>> shift) & 0xFF);
        if (shift > 0) {
          target.putByte(out++, (byte) '.');
        }
      }
      return out;
    }
    for (int group = 0; group < GROUPS; group++) {
      long half = group < 4 ? high : low;
      int value = (int) (half >>> 48 - 16 * (group & 3)) & 0xFFFF;
      for (int shift = 12; shift >= 0; shift -= 4) {
        target.putByte(out++, HEX[value >>> shift & 0xF]);
      }
      if (group < GROUPS - 1) {
        target.putByte(out++, (byte) '-'); // a colon would be taken for the structure of a key
      }
    }
    return out;
  }
}
