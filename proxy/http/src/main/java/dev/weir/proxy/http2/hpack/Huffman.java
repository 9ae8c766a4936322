package dev.weir.proxy.http2.hpack;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Decodes the strings of HPACK that are Huffman coded (RFC 7541, section 5.2 and appendix B). The
 * next {@value #LOOK_UP_BITS} bits tell one character, or two where two codes fit, as those of
 * digits and of most letters do; the few codes that are longer are compared by length.
 */
final class Huffman {
  /** The result of {@link #decode} for a string that is not coded right. */
  static final int MALFORMED = -1;

  private static final int LOOK_UP_BITS = 12;
  private static final int MIN_CODE_BITS = 5;
  private static final int MAX_CODE_BITS = 30;
  private static final int EOS = 256;

  /** The length in bits of each character's code, and of EOS: A means 5. */
  private static final String CODE_BITS =
      "ISXXXXXXXTZXXZXXXXXXXXZXXXXXXXXXBFFHIBDGFFDGDBBBAAABBBBBBBCDKBHF"
          + "IBCCCCCCCCCCCCCCCCCCCCCCDCDIOIJBKABABABBBACCBBBABCBAABCCCCCKGJIX"
          + "PRPPRRRSRSSSSSTSTTRSTSSSSQRSRSSTRQPRRSSQSRRTQRSSQQRQSRSSPRRRSRRS"
          + "VVPORSRUVVVWWVTUOQVWWVWTQQVVXWWWPTPQRQQSRRUUTTVSVWVVWWWWWXWWWWWVZ";

  /**
   * The characters that the next bits stand for: in the low two bytes, the first one lowest, then
   * their number, and the bits that they take. 0 where a longer code begins.
   */
  private static final int[] LOOK_UP = new int[1 << LOOK_UP_BITS];

  private static final int COUNT_SHIFT = 16;
  private static final int BITS_SHIFT = 24;

  // Codes of one length are successive numbers in the order of their characters.
  private static final int[] FIRST_CODE = new int[MAX_CODE_BITS + 2];
  private static final int[] FIRST_PLACE = new int[MAX_CODE_BITS + 2];
  private static final short[] CHARACTERS = new short[EOS + 1];

  static {
    final int[] codes = new int[EOS + 1];
    int code = 0;
    int place = 0;
    for (int bits = 1; bits <= MAX_CODE_BITS; bits++) {
      code <<= 1;
      FIRST_CODE[bits] = code;
      FIRST_PLACE[bits] = place;
      for (int character = 0; character <= EOS; character++) {
        if (bits(character) == bits) {
          CHARACTERS[place++] = (short) character;
          codes[character] = code++;
        }
      }
    }
    FIRST_PLACE[MAX_CODE_BITS + 1] = place;
    fillLookUp(codes);
  }

  private Huffman() {}

  private static int bits(int character) {
    return CODE_BITS.charAt(character) - 'A' + MIN_CODE_BITS;
  }

  private static void fillLookUp(int[] codes) {
    for (int first = 0; first < EOS; first++) {
      final int left = LOOK_UP_BITS - bits(first);
      if (left < 0) {
        continue;
      }
      fill(codes[first], left, first | 1 << COUNT_SHIFT | bits(first) << BITS_SHIFT);
      for (int second = 0; second < EOS; second++) {
        final int rest = left - bits(second);
        if (rest >= 0) {
          fill(
              codes[first] << bits(second) | codes[second],
              rest,
              first
                  | second << Byte.SIZE
                  | 2 << COUNT_SHIFT
                  | bits(first) + bits(second) << BITS_SHIFT);
        }
      }
    }
  }

  private static void fill(int code, int bitsLeft, int entry) {
    for (int rest = 0; rest < 1 << bitsLeft; rest++) {
      LOOK_UP[code << bitsLeft | rest] = entry;
    }
  }

  /** The most bytes that so many coded ones decode to, and one that may be written behind them. */
  static int maxDecodedBytes(int codedBytes) {
    return codedBytes * Byte.SIZE / MIN_CODE_BITS + 1;
  }

  /**
   * Decodes a string.
   *
   * @param to has room for {@link #maxDecodedBytes} from {@code toOffset} on.
   * @return the length of what was written; or {@link #MALFORMED}: EOS is coded, or the padding is
   *     longer than 7 bits or not of ones.
   */
  static int decode(
      DirectBuffer from, int fromOffset, int length, MutableDirectBuffer to, int toOffset) {
    int at = fromOffset;
    final int end = fromOffset + length;
    int out = toOffset;
    long buffered = 0; // its low bits are the next ones
    int count = 0;
    while (true) {
      if (count <= Integer.SIZE && end - at >= Integer.BYTES) {
        final int four = from.getInt(at, ByteOrder.BIG_ENDIAN);
        buffered = buffered << Integer.SIZE | four & 0xffff_ffffL;
        at += Integer.BYTES;
        count += Integer.SIZE;
      }
      while (count <= Integer.SIZE && at < end) {
        buffered = buffered << Byte.SIZE | from.getByte(at++) & 0xff;
        count += Byte.SIZE;
      }
      if (count < LOOK_UP_BITS) {
        break;
      }
      final int entry = LOOK_UP[(int) (buffered >>> count - LOOK_UP_BITS) & LOOK_UP.length - 1];
      if (entry != 0) {
        to.putByte(out, (byte) entry);
        to.putByte(out + 1, (byte) (entry >>> Byte.SIZE));
        out += entry >>> COUNT_SHIFT & 0xff;
        count -= entry >>> BITS_SHIFT;
      } else {
        final int bits = longCode(buffered, count);
        if (bits == MALFORMED) {
          return MALFORMED;
        }
        to.putByte(out++, (byte) character(buffered, count, bits));
        count -= bits;
      }
    }
    return last(buffered, count, to, out, toOffset);
  }

  /** The last bits, fewer than are looked up at once: characters, then padding. */
  private static int last(
      long buffered, int bitCount, MutableDirectBuffer to, int outOffset, int toOffset) {
    int out = outOffset;
    int count = bitCount;
    while (count > 0) {
      // Padded with ones: no character's code of that few bits is all ones.
      final int padded =
          (int) (buffered << LOOK_UP_BITS - count | (1 << LOOK_UP_BITS - count) - 1)
              & LOOK_UP.length - 1;
      final int first = LOOK_UP[padded] & 0xff;
      final int bits = LOOK_UP[padded] == 0 ? LOOK_UP_BITS : bits(first);
      if (bits > count) {
        final boolean ones = (buffered & (1L << count) - 1) == (1L << count) - 1;
        return count < Byte.SIZE && ones ? out - toOffset : MALFORMED;
      }
      to.putByte(out++, (byte) first);
      count -= bits;
    }
    return out - toOffset;
  }

  /** The length of the next code, longer than is looked up; {@link #MALFORMED} if there is none. */
  private static int longCode(long buffered, int count) {
    for (int bits = LOOK_UP_BITS + 1; bits <= MAX_CODE_BITS && bits <= count; bits++) {
      if (place(buffered, count, bits) < FIRST_PLACE[bits + 1]) {
        return character(buffered, count, bits) == EOS ? MALFORMED : bits;
      }
    }
    return MALFORMED;
  }

  private static int character(long buffered, int count, int bits) {
    return CHARACTERS[place(buffered, count, bits)];
  }

  /** The place of a code of so many bits among all; behind its length's last if it has more. */
  private static int place(long buffered, int count, int bits) {
    final int code = (int) (buffered >>> count - bits & (1L << bits) - 1);
    return code - FIRST_CODE[bits] + FIRST_PLACE[bits];
  }
}
