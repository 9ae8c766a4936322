package dev.weir.proxy.rule;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TargetNormaliser;
import dev.weir.proxy.rule.spec.ValueSink;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Finds one cookie or query parameter, and copies its value in a normal form: a value that a
 * service decodes must not count as several identities because it has several spellings.
 *
 * <ul>
 *   <li>Cookies (RFC 6265, section 4.2.1, over all lines of the field): pairs between semicolons,
 *       white space around names and values dropped, names exact, one pair of quotes around a value
 *       dropped, values percent-decoded.
 *   <li>Query parameters: pairs between ampersands; names and values percent-decoded, {@code +} is
 *       a space. A parameter without {@code =} is empty. Some services end a pair at a semicolon
 *       too: if they would read another value, the parameter counts as occurring twice.
 *   <li>A percent sign without two hex digits stands for itself.
 * </ul>
 *
 * Stateless; any thread; allocates nothing.
 */
public final class PairReader {
  /** The result if there is no such pair. */
  public static final int ABSENT = -1;

  /** The result if there are two or more. */
  public static final int TWICE = -2;

  private static final FieldName COOKIE = FieldName.of("cookie");

  private PairReader() {}

  /**
   * Copies the value of a cookie to {@code target}, which has room for a head.
   *
   * @return the value's length, {@link #ABSENT} or {@link #TWICE}.
   */
  public static int cookie(byte[] name, RequestView request, MutableDirectBuffer target, int at) {
    DirectBuffer bytes = request.bytes();
    int result = ABSENT;
    for (int i = request.findField(COOKIE, 0); i >= 0; i = request.findField(COOKIE, i + 1)) {
      int end = request.valueOffset(i) + request.valueLength(i);
      for (int from = request.valueOffset(i); from < end; ) {
        int to = indexOf(bytes, ';', from, end);
        int equals = indexOf(bytes, '=', from, to);
        if (equals < to && isCookieName(name, bytes, from, equals)) {
          if (result != ABSENT) {
            return TWICE;
          }
          result = copyCookieValue(bytes, equals + 1, to, target, at);
        }
        from = to + 1;
      }
    }
    return result;
  }

  /** Copies the value of a query parameter; as {@link #cookie} does. */
  public static int query(byte[] name, RequestView request, MutableDirectBuffer target, int at) {
    DirectBuffer bytes = request.bytes();
    int end = request.queryOffset() + request.queryLength();
    int result = ABSENT;
    for (int from = request.queryOffset(); from < end; ) {
      int to = indexOf(bytes, '&', from, end);
      int equals = indexOf(bytes, '=', from, to);
      if (isQueryName(name, bytes, from, equals)) {
        if (result != ABSENT || indexOf(bytes, ';', from, to) < to) {
          return TWICE;
        }
        result = decode(bytes, Math.min(equals + 1, to), to, true, target, at);
      } else if (isBesideSemicolon(name, bytes, from, to)) {
        return TWICE;
      }
      from = to + 1;
    }
    return result;
  }

  /**
   * Passes the values of a query parameter to a sink, until one is enough: as services read them
   * that split at ampersands, and as those do that split at semicolons too.
   *
   * @param target holds a decoded value.
   */
  static ValuesFound query(
      byte[] name, RequestView request, MutableDirectBuffer target, ValueSink sink) {
    DirectBuffer bytes = request.bytes();
    int end = request.queryOffset() + request.queryLength();
    ValuesFound found = ValuesFound.NONE;
    for (int from = request.queryOffset(); from < end && found != ValuesFound.ENOUGH; ) {
      int to = indexOf(bytes, '&', from, end);
      found = pass(name, bytes, from, to, target, sink, found);
      boolean isSplit = indexOf(bytes, ';', from, to) < to;
      int partEnd;
      for (int part = from; isSplit && part < to; part = partEnd + 1) {
        partEnd = indexOf(bytes, ';', part, to);
        found = pass(name, bytes, part, partEnd, target, sink, found);
      }
      from = to + 1;
    }
    return found;
  }

  /** Passes the value of one pair, if it has the name and no other was enough. */
  private static ValuesFound pass(
      byte[] name,
      DirectBuffer bytes,
      int from,
      int to,
      MutableDirectBuffer target,
      ValueSink sink,
      ValuesFound before) {
    int equals = indexOf(bytes, '=', from, to);
    if (before == ValuesFound.ENOUGH || !isQueryName(name, bytes, from, equals)) {
      return before;
    }
    int length = decode(bytes, Math.min(equals + 1, to), to, true, target, 0);
    return sink.value(target, 0, length) ? ValuesFound.ENOUGH : ValuesFound.OTHERS;
  }

  /** Whether a service that splits at semicolons too finds the name within a pair. */
  private static boolean isBesideSemicolon(byte[] name, DirectBuffer bytes, int from, int to) {
    int end;
    for (int at = from; at < to; at = end + 1) {
      end = indexOf(bytes, ';', at, to);
      boolean isWholePair = at == from && end == to;
      if (!isWholePair && isQueryName(name, bytes, at, indexOf(bytes, '=', at, end))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isCookieName(byte[] name, DirectBuffer bytes, int from, int to) {
    int first = Ascii.skipBlanks(bytes, from, to);
    int last = Ascii.trimBlanks(bytes, first, to);
    if (last - first != name.length) {
      return false;
    }
    for (int i = 0; i < name.length; i++) {
      if (bytes.getByte(first + i) != name[i]) {
        return false;
      }
    }
    return true;
  }

  private static int copyCookieValue(
      DirectBuffer bytes, int from, int to, MutableDirectBuffer target, int at) {
    int first = Ascii.skipBlanks(bytes, from, to);
    int last = Ascii.trimBlanks(bytes, first, to);
    if (last - first >= 2 && bytes.getByte(first) == '"' && bytes.getByte(last - 1) == '"') {
      first++;
      last--;
    }
    return decode(bytes, first, last, false, target, at);
  }

  private static boolean isQueryName(byte[] name, DirectBuffer bytes, int from, int to) {
    int at = from;
    for (byte wanted : name) {
      if (at >= to) {
        return false;
      }
      int octet = octet(bytes, at, to);
      at += octet < 0 ? 1 : 3;
      byte b = octet < 0 ? plain(bytes.getByte(at - 1), true) : (byte) octet;
      if (b != wanted) {
        return false;
      }
    }
    return at == to;
  }

  private static int decode(
      DirectBuffer bytes,
      int from,
      int to,
      boolean plusIsSpace,
      MutableDirectBuffer target,
      int at) {
    int out = at;
    for (int i = from; i < to; ) {
      int octet = octet(bytes, i, to);
      byte b = octet < 0 ? plain(bytes.getByte(i), plusIsSpace) : (byte) octet;
      target.putByte(out++, b);
      i += octet < 0 ? 1 : 3;
    }
    return out - at;
  }

  /** The octet that is percent-encoded at {@code at}; negative if there is none. */
  private static int octet(DirectBuffer bytes, int at, int to) {
    return bytes.getByte(at) == '%' && at + 2 < to
        ? TargetNormaliser.octet(bytes.getByte(at + 1), bytes.getByte(at + 2))
        : -1;
  }

  private static byte plain(byte b, boolean plusIsSpace) {
    return plusIsSpace && b == '+' ? (byte) ' ' : b;
  }

  private static int indexOf(DirectBuffer bytes, char wanted, int from, int end) {
    int at = from;
    while (at < end && bytes.getByte(at) != wanted) {
      at++;
    }
    return at;
  }
}
