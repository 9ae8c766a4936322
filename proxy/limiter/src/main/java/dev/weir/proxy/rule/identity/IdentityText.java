package dev.weir.proxy.rule.identity;

import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.PercentEncoding;
import java.nio.ByteOrder;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The text of an identity in names in the store, in ASCII: its parts with {@code +} between them. A
 * value's letters, digits and {@code -._~@} stand for themselves, all other bytes are
 * percent-encoded. An absent part is {@code !}, an address that stands in for one {@code
 * =192.0.2.1}. So no two identities of one key have the same text, and none contains a colon, a
 * brace or a blank.
 *
 * <p>A secret value is {@code #} and 32 digits of a keyed hash, and so is a whole identity that
 * would be longer than {@link #MAX_BYTES}.
 *
 * <p>One per event loop; allocates nothing after construction.
 */
public final class IdentityText {
  /** The longest text. */
  public static final int MAX_BYTES = 128;

  /** The result if the text does not fit. */
  public static final int TOO_LONG = PercentEncoding.TOO_LONG;

  private static final int GROUPS = 8;

  private final boolean hashesAll;
  private final Set<KeyPart> hashed;
  private final IdentityHash hash;

  /**
   * @param hashesAll whether every identity is hashed as a whole.
   * @param hashed further secret sources, besides {@link KeyPart#isSecret}.
   * @param hashKey of the hash.
   */
  public IdentityText(boolean hashesAll, Set<KeyPart> hashed, String hashKey) {
    this.hashesAll = hashesAll;
    this.hashed = hashed;
    this.hash = new IdentityHash(hashKey);
  }

  /**
   * Writes the text of an identity, {@link #MAX_BYTES} at most.
   *
   * @param key by which it was read.
   * @return where the text ends.
   */
  public int write(KeySpec key, Identity identity, MutableDirectBuffer target, int at) {
    int end = hashesAll ? TOO_LONG : writeParts(key, identity, target, at, at + MAX_BYTES);
    return end == TOO_LONG ? hash.write(identity.bytes(), 0, identity.length(), target, at) : end;
  }

  private int writeParts(
      KeySpec key, Identity identity, MutableDirectBuffer target, int at, int end) {
    if (key == KeySpec.DESCRIPTOR) {
      return DescriptorIdentity.writeText(identity, target, at, end);
    }
    DirectBuffer bytes = identity.bytes();
    int out = at;
    int part = 0;
    for (int in = 0; in < identity.length(); part++) {
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
          if (isSecret(key.part(part))) {
            int from = in - IdentityReader.PART_HEADER_BYTES;
            out = hash.write(bytes, from, in + length - from, target, out);
            break;
          }
          out = PercentEncoding.encode(bytes, in, length, target, out, end);
          if (out == TOO_LONG) {
            return TOO_LONG;
          }
        }
      }
      in += length;
    }
    return out;
  }

  private boolean isSecret(KeyPart part) {
    return part.isSecret() || !hashed.isEmpty() && hashed.contains(part);
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
        target.putByte(out++, PercentEncoding.digit(value >>> shift));
      }
      if (group < GROUPS - 1) {
        target.putByte(out++, (byte) '-'); // a colon would be taken for the structure of a key
      }
    }
    return out;
  }
}
