package dev.weir.proxy.request;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The one spelling of a request target's path (RFC 3986, section 6.2.2): what the rules see and
 * what is forwarded are the same bytes, so that no alias of a path is counted elsewhere than the
 * path it stands for. It lives here because listeners call it and rules rely on it, and those two
 * may know nothing of each other.
 *
 * <ul>
 *   <li>Percent-encoded unreserved characters are decoded, other encodings get upper-case digits.
 *   <li>Then repeated slashes are merged, then dot segments removed; a path never climbs above its
 *       root. A trailing slash stays: it is the matcher that does not tell {@code /a/} from {@code
 *       /a}.
 *   <li>Case stays, and so do {@code ;parameters}: the matcher ignores them.
 *   <li>Refused as ambiguous, because origins disagree on them: {@code \}, {@code %5C}, {@code
 *       %2F}, {@code %00}, {@code %3B}, which begins parameters for origins that decode first, and
 *       a dot segment with parameters ({@code /..;/}), which some origins follow and others do not.
 *   <li>Refused as malformed: anything but {@code /} at the start, a percent sign without two hex
 *       digits, controls, space, DEL, bytes above 0x7F, {@code #} and {@code ?}.
 * </ul>
 *
 * The output is a fixed point and never longer than the input. Stateless; any thread; allocates
 * nothing.
 */
public final class TargetNormaliser {
  /** The result if the path is already in normal form, and is forwarded unchanged. */
  public static final int ALREADY_NORMAL = 0;

  /** The result for a path to be refused with {@link RefusalReason#MALFORMED_TARGET}. */
  public static final int MALFORMED = -1;

  /** The result for a path to be refused with {@link RefusalReason#AMBIGUOUS_PATH}. */
  public static final int AMBIGUOUS = -2;

  private static final long ONES = 0x0101_0101_0101_0101L;
  private static final long HIGH_BITS = ONES << 7;

  private TargetNormaliser() {}

  /** The reason for a negative result; null for others. */
  public static RefusalReason refusal(int result) {
    return switch (result) {
      case MALFORMED -> RefusalReason.MALFORMED_TARGET;
      case AMBIGUOUS -> RefusalReason.AMBIGUOUS_PATH;
      default -> null;
    };
  }

  /**
   * Normalises the {@code length} bytes of a path at {@code offset}, without its query.
   *
   * @param target has room for {@code length} bytes at {@code targetOffset}; may be {@code source}
   *     at {@code offset}. What it holds after any but a positive result is undefined, except that
   *     {@link #ALREADY_NORMAL} leaves a target that is the source as it was.
   * @return {@link #ALREADY_NORMAL}, the length of the normal form written to {@code target},
   *     {@link #MALFORMED} or {@link #AMBIGUOUS}.
   */
  public static int normalise(
      DirectBuffer source, int offset, int length, MutableDirectBuffer target, int targetOffset) {
    if (length == 0 || source.getByte(offset) != '/') {
      return MALFORMED;
    }
    if (isPlain(source, offset, length)) {
      return ALREADY_NORMAL;
    }
    return rewrite(source, offset, offset + length, target, targetOffset);
  }

  /**
   * Whether the bytes may stand in a query: no control, space, DEL, {@code #} or byte above 0x7F.
   * Apart from that a query is left alone, percent signs included.
   */
  public static boolean isQuery(DirectBuffer source, int offset, int length) {
    int at = offset;
    int end = offset + length;
    for (; end - at >= Long.BYTES; at += Long.BYTES) {
      long word = source.getLong(at, ByteOrder.LITTLE_ENDIAN);
      if ((notPrintable(word) | equal(word, '#')) != 0) {
        return false;
      }
    }
    for (; at < end; at++) {
      byte b = source.getByte(at);
      if (b <= ' ' || b == 0x7F || b == '#') {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the path needs no rewriting, by eight bytes at a time. False also for some normal
   * paths, such as those with an encoding or a segment that starts with a dot.
   */
  private static boolean isPlain(DirectBuffer source, int offset, int length) {
    int at = offset;
    int end = offset + length;
    long slashBefore = 0;
    while (at < end) {
      long word =
          end - at >= Long.BYTES
              ? source.getLong(at, ByteOrder.LITTLE_ENDIAN)
              : tail(source, at, end);
      long slashes = equal(word, '/');
      long afterSlash = slashes << 8 | slashBefore;
      long suspects =
          notPrintable(word)
              | equal(word, '%')
              | equal(word, '\\')
              | equal(word, '#')
              | equal(word, '?')
              | afterSlash & (slashes | equal(word, '.'));
      if (suspects != 0) {
        return false;
      }
      slashBefore = slashes >>> 63 << 7;
      at += Long.BYTES;
    }
    return true;
  }

  /** The fewer than eight bytes from {@code at}, filled up with letters. */
  private static long tail(DirectBuffer source, int at, int end) {
    if (source.capacity() - at >= Long.BYTES) {
      long used = -1L >>> (Long.BYTES - (end - at)) * 8;
      return source.getLong(at, ByteOrder.LITTLE_ENDIAN) & used | ONES * 'a' & ~used;
    }
    long word = ONES * 'a';
    for (int i = end - 1; i >= at; i--) {
      word = word << 8 | source.getByte(i) & 0xFF;
    }
    return word;
  }

  /** The high bit of each byte that equals {@code c}, and perhaps of some after one that does. */
  private static long equal(long word, int c) {
    long difference = word ^ ONES * c;
    return difference - ONES & ~difference & HIGH_BITS;
  }

  /** Not 0 if any byte is outside 0x21 to 0x7E. */
  private static long notPrintable(long word) {
    return (word | word - ONES * 0x21) & HIGH_BITS | equal(word, 0x7F);
  }

  /**
   * Copies segment by segment. Writing never overtakes reading, as every step writes at most as
   * many bytes as it reads.
   */
  private static int rewrite(
      DirectBuffer source, int from, int end, MutableDirectBuffer target, int start) {
    int out = start;
    target.putByte(out++, (byte) '/');
    int segment = out;
    int parameters = -1;
    boolean respelled = false;
    for (int at = from + 1; at <= end; at++) {
      byte b = at < end ? source.getByte(at) : (byte) '/';
      if (b == '/') {
        int dots = dots(target, segment, parameters < 0 ? out : parameters);
        if (dots > 0 && parameters >= 0) {
          return AMBIGUOUS;
        }
        if (dots > 0) {
          out = dots == 1 ? segment : parent(target, start, segment);
        } else if (out > segment && at < end) {
          target.putByte(out++, (byte) '/');
        }
        segment = out;
        parameters = -1;
      } else if (b == '%') {
        int value = at + 2 < end ? octet(source.getByte(at + 1), source.getByte(at + 2)) : -1;
        if (value < 0) {
          return MALFORMED;
        }
        if (isAmbiguous(value)) {
          return AMBIGUOUS;
        }
        if (isUnreserved(value)) {
          target.putByte(out++, (byte) value);
          respelled = true;
        } else {
          byte high = upperCase(source.getByte(at + 1));
          byte low = upperCase(source.getByte(at + 2));
          respelled |= high != source.getByte(at + 1) | low != source.getByte(at + 2);
          target.putByte(out++, (byte) '%');
          target.putByte(out++, high);
          target.putByte(out++, low);
        }
        at += 2;
      } else if (b == '\\') {
        return AMBIGUOUS;
      } else if (b <= ' ' || b == 0x7F || b == '#' || b == '?') {
        return MALFORMED;
      } else {
        if (b == ';' && parameters < 0) {
          parameters = out;
        }
        target.putByte(out++, b);
      }
    }
    int written = out - start;
    return !respelled && written == end - from ? ALREADY_NORMAL : written;
  }

  /** 1 or 2 if the bytes are that many dots and nothing else; 0 otherwise. */
  private static int dots(DirectBuffer target, int from, int to) {
    int length = to - from;
    if (length < 1 || length > 2 || target.getByte(from) != '.' || target.getByte(to - 1) != '.') {
      return 0;
    }
    return length;
  }

  /** The start of the segment before the one at {@code segment}; the root is its own parent. */
  private static int parent(DirectBuffer target, int start, int segment) {
    int at = segment - 1;
    if (at == start) {
      return segment;
    }
    while (target.getByte(at - 1) != '/') {
      at--;
    }
    return at;
  }

  private static byte upperCase(byte hexDigit) {
    return hexDigit >= 'a' ? (byte) (hexDigit - 0x20) : hexDigit;
  }

  /** Whether services disagree on the meaning of an encoded octet in a path. */
  public static boolean isAmbiguous(int octet) {
    return octet == 0 || octet == '/' || octet == ';' || octet == '\\';
  }

  private static boolean isUnreserved(int c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '-'
        || c == '.'
        || c == '_'
        || c == '~';
  }

  /** The octet that two hexadecimal digits spell; negative if one is no digit. */
  public static int octet(byte high, byte low) {
    return Ascii.hexDigit(high) << 4 | Ascii.hexDigit(low);
  }
}
