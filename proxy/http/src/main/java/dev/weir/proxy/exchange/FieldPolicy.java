package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import org.agrona.DirectBuffer;

/**
 * The field policy, applied to one message on its way through the proxy, from any version of HTTP
 * to any other: which header fields are removed, which fields of a client are trusted, and which
 * the proxy adds. The table of {@link KnownField} says what holds for a field by its name alone.
 * One per scanner of heads, reset for each message.
 */
public final class FieldPolicy {
  /**
   * Fields that may not stand in trailers (RFC 9110, section 6.5.1), besides every {@link
   * KnownField}: they authenticate, set state, or say how to read a body.
   */
  private static final byte[][] NO_TRAILERS = {
    TextWriter.ascii("age"),
    TextWriter.ascii("cookie"),
    TextWriter.ascii("range"),
    TextWriter.ascii("set-cookie"),
    TextWriter.ascii("content-type"),
    TextWriter.ascii("max-forwards"),
    TextWriter.ascii("authorization"),
    TextWriter.ascii("cache-control"),
    TextWriter.ascii("content-range"),
    TextWriter.ascii("content-encoding"),
    TextWriter.ascii("www-authenticate"),
  };

  private static final byte[] TRAILERS = TextWriter.ascii("trailers");

  private boolean peerTrusted;

  /** A bit for each known field that passes. */
  private long passed;

  /** Starts with a request's fields. */
  public void startRequest(boolean peerIsTrusted) {
    peerTrusted = peerIsTrusted;
    passed = 0;
  }

  /** Records a request's field, and returns whether it passes unchanged. */
  public boolean passesRequest(KnownField field) {
    boolean passes = field.inRequest().passes(peerTrusted);
    if (passes) {
      passed |= bit(field);
    }
    return passes;
  }

  /**
   * Records a request field that is forwarded in another protocol; whether it passes as it came:
   * fields of framing and routing do not.
   *
   * @param field null for one that is not known.
   */
  public boolean passesForeign(KnownField field) {
    return field == null || !field.frames() && passesRequest(field);
  }

  /** Whether the proxy adds this field of its own after the request's fields. */
  public boolean addsToRequest(KnownField field) {
    return field.inRequest().adds((passed & bit(field)) != 0);
  }

  /** Whether a response's field passes unchanged. A service is always trusted. */
  public static boolean passesResponse(KnownField field) {
    return field.inResponse().passes(true);
  }

  /**
   * Whether a field passes of a response that goes on in another protocol: none that frames it
   * does.
   *
   * @param field null for one that is not known.
   * @param keepsRateLimit whether the service's own X-RateLimit fields stay.
   */
  public static boolean passesForeignResponse(KnownField field, boolean keepsRateLimit) {
    return field == null
        || field.inResponse() != FieldTreatment.FRAMING
            && passesResponse(field)
            && (keepsRateLimit || field.inResponse() != FieldTreatment.STRICTEST);
  }

  /**
   * Whether a client may have a field removed by naming it in {@code Connection} (RFC 9110, section
   * 7.6.1).
   */
  public static boolean clientMayRemove(DirectBuffer bytes, int nameOffset, int nameLength) {
    KnownField known = KnownField.lookUp(bytes, nameOffset, nameLength);
    return known == null ? mayTrail(bytes, nameOffset, nameLength) : known.mayBeNominated();
  }

  /** Whether a service may have a field removed by naming it in {@code Connection}. */
  public static boolean serviceMayRemove(DirectBuffer bytes, int nameOffset, int nameLength) {
    return KnownField.lookUp(bytes, nameOffset, nameLength) == null;
  }

  /** Whether a field may stand behind a body, in either direction. */
  public static boolean mayTrail(DirectBuffer bytes, int nameOffset, int nameLength) {
    if (KnownField.lookUp(bytes, nameOffset, nameLength) != null) {
      return false;
    }
    for (byte[] forbidden : NO_TRAILERS) {
      if (Ascii.equalsIgnoreCase(bytes, nameOffset, nameLength, forbidden)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether a field TE accepts trailers (RFC 9110, section 10.1.4). The proxy passes on nothing
   * else of TE.
   */
  public static boolean asksForTrailers(RequestView fields, int index) {
    DirectBuffer bytes = fields.bytes();
    int end = fields.valueOffset(index) + fields.valueLength(index);
    int at = fields.valueOffset(index);
    while (at < end) {
      int comma = at;
      while (comma < end && bytes.getByte(comma) != ',') {
        comma++;
      }
      int start = Ascii.skipBlanks(bytes, at, comma);
      int length = Ascii.trimBlanks(bytes, start, comma) - start;
      if (Ascii.equalsIgnoreCase(bytes, start, length, TRAILERS)) {
        return true;
      }
      at = comma + 1;
    }
    return false;
  }

  private static long bit(KnownField field) {
    return 1L << field.ordinal();
  }
}
