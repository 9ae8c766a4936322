package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.RequestView;
import org.agrona.DirectBuffer;

/**
 * The policy of fields for one message on its way through the proxy, in whatever version of HTTP it
 * comes and goes: which end here, which of a client's claims are believed, and which the proxy
 * adds. What it says of a field by its name alone stands in the table of {@link KnownField}. One
 * per scanner of heads, started anew for each.
 */
public final class FieldPolicy {
  /**
   * Fields that stand before the body or nowhere (RFC 9110, section 6.5.1), besides every {@link
   * KnownField}: they authenticate, set state or say how to read a body.
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

  /** Takes note of a request's field; whether it passes as it came. */
  public boolean passesRequest(KnownField field) {
    boolean passes = field.inRequest().passes(peerTrusted);
    if (passes) {
      passed |= bit(field);
    }
    return passes;
  }

  /** Whether the proxy writes such a field of its own behind the request's fields. */
  public boolean addsToRequest(KnownField field) {
    return field.inRequest().adds((passed & bit(field)) != 0);
  }

  /** Whether a response's field passes as it came. A service is not asked who it is. */
  public static boolean passesResponse(KnownField field) {
    return field.inResponse().passes(true);
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
   * Whether a field TE says that its sender takes trailers (RFC 9110, section 10.1.4): all that the
   * proxy passes on of it, anew.
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
