package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.HostSyntax;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import org.agrona.DirectBuffer;

/**
 * The request line (RFC 9112, section 3): one space between its parts, a target in origin form,
 * absolute form ({@code http} and {@code https}), or {@code *} for OPTIONS, and HTTP/1.1 or
 * HTTP/1.0. Method, target and authority go into the view of the head.
 */
final class RequestLine {
  private static final int MAX_METHOD_BYTES = 32;
  private static final byte[] OPTIONS = {'O', 'P', 'T', 'I', 'O', 'N', 'S'};
  private static final byte[] CONNECT = {'C', 'O', 'N', 'N', 'E', 'C', 'T'};
  private static final byte[] HTTP_SCHEME = {'h', 't', 't', 'p', ':', '/', '/'};
  private static final byte[] HTTPS_SCHEME = {'h', 't', 't', 'p', 's', ':', '/', '/'};
  private static final byte[] VERSION_PREFIX = {'H', 'T', 'T', 'P', '/'};

  /** {@code HTTP/1.1}. */
  private static final int VERSION_BYTES = 8;

  private final RequestView view;
  private RefusalReason fault;
  private boolean absoluteForm;
  private boolean asteriskForm;
  private boolean http10;

  /**
   * @param view receives the parts of the line; reset before each line.
   */
  RequestLine(RequestView view) {
    this.view = view;
  }

  /**
   * Scans the line at the start of {@code bytes}.
   *
   * @return the offset behind its CRLF, {@link FieldLine#INCOMPLETE}, or {@link
   *     FieldLine#MALFORMED} with a {@link #fault()}.
   */
  int scan(DirectBuffer bytes, int limit, int maxTargetBytes) {
    int at = scanMethod(bytes, 0, limit);
    if (at > 0) {
      at = scanTarget(bytes, at, limit, maxTargetBytes);
    }
    return at > 0 ? scanVersion(bytes, at, limit) : at;
  }

  private int scanMethod(DirectBuffer bytes, int from, int limit) {
    int i = from;
    while (i < limit && Ascii.isToken(bytes.getByte(i))) {
      i++;
    }
    if (i - from > MAX_METHOD_BYTES) {
      return refuse(RefusalReason.METHOD_NOT_SUPPORTED);
    }
    if (i == limit) {
      return FieldLine.INCOMPLETE;
    }
    if (i == from || bytes.getByte(i) != ' ') {
      return refuse(RefusalReason.MALFORMED_REQUEST_LINE);
    }
    view.method(from, i - from);
    return methodIs(bytes, CONNECT) ? refuse(RefusalReason.METHOD_NOT_SUPPORTED) : i + 1;
  }

  private boolean methodIs(DirectBuffer bytes, byte[] method) {
    return Ascii.equals(bytes, view.methodOffset(), view.methodLength(), method);
  }

  private int scanTarget(DirectBuffer bytes, int from, int limit, int maxTargetBytes) {
    int end = Grammar.endOfTarget(bytes, from, limit);
    if (end - from > maxTargetBytes) {
      return refuse(RefusalReason.TARGET_TOO_LONG);
    }
    if (end == limit) {
      return FieldLine.INCOMPLETE;
    }
    if (bytes.getByte(end) != ' ') {
      byte b = bytes.getByte(end);
      boolean lineEnds = b == '\r' || b == '\n' || b == '\t' || end == from;
      return refuse(
          lineEnds ? RefusalReason.MALFORMED_REQUEST_LINE : RefusalReason.MALFORMED_TARGET);
    }
    if (end == from) {
      return refuse(RefusalReason.MALFORMED_REQUEST_LINE);
    }
    absoluteForm = false;
    asteriskForm = false;
    byte first = bytes.getByte(from);
    if (first == '/') {
      splitQuery(bytes, from, end);
    } else if (first == '*' && end == from + 1 && methodIs(bytes, OPTIONS)) {
      asteriskForm = true;
      view.path(from, 1);
    } else if (!splitAbsolute(bytes, from, end)) {
      return refuse(RefusalReason.MALFORMED_TARGET);
    }
    return end + 1;
  }

  /** Finds authority, path and query of an absolute form; false if it is none that is served. */
  private boolean splitAbsolute(DirectBuffer bytes, int from, int end) {
    int authority;
    if (startsWith(bytes, from, end, HTTP_SCHEME)) {
      authority = from + HTTP_SCHEME.length;
    } else if (startsWith(bytes, from, end, HTTPS_SCHEME)) {
      authority = from + HTTPS_SCHEME.length;
    } else {
      return false;
    }
    int path = authority;
    while (path < end && bytes.getByte(path) != '/' && bytes.getByte(path) != '?') {
      path++;
    }
    absoluteForm = true;
    view.authority(authority, path - authority);
    splitQuery(bytes, path, end);
    if (view.pathLength() == 0) {
      view.path(authority - 1, 1); // an empty path means "/": the second slash of "://" will do
    }
    return HostSyntax.isValid(bytes, authority, path - authority);
  }

  private static boolean startsWith(DirectBuffer bytes, int from, int end, byte[] lowerCase) {
    return end - from >= lowerCase.length
        && Ascii.equalsIgnoreCase(bytes, from, lowerCase.length, lowerCase);
  }

  private void splitQuery(DirectBuffer bytes, int from, int end) {
    int i = from;
    while (i < end && bytes.getByte(i) != '?') {
      i++;
    }
    view.path(from, i - from);
    if (i < end) {
      view.query(i + 1, end - i - 1);
    }
  }

  private int scanVersion(DirectBuffer bytes, int from, int limit) {
    int known = Math.min(limit - from, VERSION_BYTES);
    for (int i = 0; i < known; i++) {
      byte b = bytes.getByte(from + i);
      boolean expected =
          i < VERSION_PREFIX.length ? b == VERSION_PREFIX[i] : i == 6 ? b == '.' : Ascii.isDigit(b);
      if (!expected) {
        return refuse(RefusalReason.MALFORMED_REQUEST_LINE);
      }
    }
    if (limit - from <= VERSION_BYTES) {
      return FieldLine.INCOMPLETE;
    }
    int end = Grammar.endOfLine(bytes, from + VERSION_BYTES, limit);
    if (end == FieldLine.MALFORMED) {
      return refuse(RefusalReason.MALFORMED_REQUEST_LINE);
    }
    byte major = bytes.getByte(from + 5);
    byte minor = bytes.getByte(from + 7);
    if (major != '1' || minor > '1') {
      return refuse(RefusalReason.VERSION_NOT_SUPPORTED);
    }
    http10 = minor == '0';
    return end;
  }

  private int refuse(RefusalReason reason) {
    fault = reason;
    return FieldLine.MALFORMED;
  }

  RefusalReason fault() {
    return fault;
  }

  boolean absoluteForm() {
    return absoluteForm;
  }

  boolean asteriskForm() {
    return asteriskForm;
  }

  boolean http10() {
    return http10;
  }
}
