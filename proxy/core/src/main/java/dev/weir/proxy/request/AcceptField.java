package dev.weir.proxy.request;

import org.agrona.DirectBuffer;

/**
 * Reads how much a client wants a media type, from its {@code Accept} (RFC 9110, section 12.5.1).
 * The most specific range that has the type decides. A parameter of a range narrows nothing, but a
 * range without one counts first.
 */
public final class AcceptField {
  /** The weight of what a client wants as much as anything. */
  public static final int MOST = 1000;

  /** Fields that have more bytes in all are not read. */
  static final int MAX_BYTES = 512;

  private static final FieldName ACCEPT = FieldName.of("accept");
  private static final byte[] ANYTHING = TextWriter.ascii("*/*");

  // What a range says counts before what less specific ones say.
  private static final int OF_ANYTHING = 1;
  private static final int OF_FAMILY = 2;
  private static final int OF_TYPE_WITH_PARAMETERS = 3;
  private static final int OF_TYPE = 4;
  private static final int WEIGHT_BITS = 10;

  private static final int MALFORMED = -1;

  private AcceptField() {}

  /**
   * The weight of a media type in thousandths: 0 if the client does not take it, {@link #MOST} if
   * it says nothing of what it takes.
   */
  public static int weight(RequestView request, MediaType type) {
    int found = 0;
    int bytes = 0;
    for (int i = request.findField(ACCEPT, 0); i >= 0; i = request.findField(ACCEPT, i + 1)) {
      bytes += request.valueLength(i);
      if (bytes > MAX_BYTES) {
        return MOST;
      }
      int at = request.valueOffset(i);
      found = Math.max(found, find(request.bytes(), at, at + request.valueLength(i), type));
    }
    return bytes == 0 ? MOST : found & (1 << WEIGHT_BITS) - 1;
  }

  /** The most specific range of a list that has the type, above its weight; 0 if none has. */
  private static int find(DirectBuffer bytes, int from, int to, MediaType type) {
    int found = 0;
    for (int at = from; at < to; ) {
      int end = find(',', bytes, at, to);
      found = Math.max(found, range(bytes, Ascii.skipBlanks(bytes, at, end), end, type));
      at = end + 1;
    }
    return found;
  }

  private static int range(DirectBuffer bytes, int from, int to, MediaType type) {
    int at = find(';', bytes, from, to);
    int of = specificity(bytes, from, Ascii.trimBlanks(bytes, from, at) - from, type);
    int weight = MOST;
    boolean hasParameters = false;
    while (of != 0 && at < to) {
      int begin = Ascii.skipBlanks(bytes, at + 1, to);
      at = find(';', bytes, begin, to);
      if (at > begin + 1
          && (bytes.getByte(begin) | 0x20) == 'q'
          && bytes.getByte(begin + 1) == '=') {
        weight = weight(bytes, begin + 2, Ascii.trimBlanks(bytes, begin + 2, at));
        break;
      }
      hasParameters |= at > begin;
    }
    if (of == 0 || weight == MALFORMED) {
      return 0;
    }
    return (of == OF_TYPE && hasParameters ? OF_TYPE_WITH_PARAMETERS : of) << WEIGHT_BITS | weight;
  }

  private static int specificity(DirectBuffer bytes, int offset, int length, MediaType type) {
    if (type.is(bytes, offset, length)) {
      return OF_TYPE;
    }
    if (type.isOfFamily(bytes, offset, length)) {
      return OF_FAMILY;
    }
    return Ascii.equals(bytes, offset, length, ANYTHING) ? OF_ANYTHING : 0;
  }

  /** Reads {@code 0.5}, and {@code .5}, which old clients of Java send. */
  private static int weight(DirectBuffer bytes, int from, int to) {
    int at = from;
    int weight = 0;
    if (at < to && Ascii.isDigit(bytes.getByte(at))) {
      weight = MOST * (bytes.getByte(at++) - '0');
    }
    if (at < to && bytes.getByte(at) == '.') {
      at++;
      for (int unit = MOST / 10; unit > 0 && at < to && Ascii.isDigit(bytes.getByte(at)); at++) {
        weight += unit * (bytes.getByte(at) - '0');
        unit /= 10;
      }
    }
    return at == to && at > from && weight <= MOST ? weight : MALFORMED;
  }

  /** The first such character outside of quotes; {@code to} if there is none. */
  private static int find(char wanted, DirectBuffer bytes, int from, int to) {
    boolean isQuoted = false;
    for (int at = from; at < to; at++) {
      byte b = bytes.getByte(at);
      if (b == '"') {
        isQuoted = !isQuoted;
      } else if (isQuoted && b == '\\') {
        at++;
      } else if (!isQuoted && b == wanted) {
        return at;
      }
    }
    return to;
  }
}
