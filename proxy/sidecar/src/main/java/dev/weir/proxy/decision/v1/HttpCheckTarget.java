package dev.weir.proxy.decision.v1;

import dev.weir.proxy.exchange.HostSyntax;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TargetNormaliser;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds the client's request in the head of a check, and sets its method, path, query and host in
 * that head. The other fields are the client's already.
 *
 * <p>A proxy passes on what its client sent, so a client may forge a field that the proxy does not
 * set. Hence no field may occur twice, the method must belong to the same pair as the URI, and two
 * pairs must agree: a forged field then refuses the client's own request. One per event loop.
 */
final class HttpCheckTarget {
  private static final FieldName FORWARDED_URI = FieldName.of("x-forwarded-uri");
  private static final FieldName FORWARDED_METHOD = FieldName.of("x-forwarded-method");
  private static final FieldName ORIGINAL_URI = FieldName.of("x-original-uri");
  private static final FieldName ORIGINAL_METHOD = FieldName.of("x-original-method");
  private static final FieldName FORWARDED_HOST = FieldName.of("x-forwarded-host");

  private static final int NONE = -1;
  private static final int NO_QUERY = -1;
  private static final int SHOWN_BYTES = 100;

  private static final String PATH_EXPECTED =
      "the path of a request behind that of the check, which does not climb above it";

  private final UnsafeBuffer bytes = new UnsafeBuffer(0, 0);

  /** The normal form of a path. */
  private final ExpandableArrayBuffer spelled = new ExpandableArrayBuffer(1024);

  /** The last fault. */
  private String fault;

  /**
   * Sets the request that the fields describe.
   *
   * @return null; or the field that cannot be used, its value, and what was expected.
   */
  String ofFields(RequestView head) {
    return takesFields(head) ? null : fault;
  }

  private boolean takesFields(RequestView head) {
    if (isTwice(head, FORWARDED_URI)
        || isTwice(head, FORWARDED_METHOD)
        || isTwice(head, ORIGINAL_URI)
        || isTwice(head, ORIGINAL_METHOD)
        || isTwice(head, FORWARDED_HOST)) {
      return false;
    }
    int forwarded = head.findField(FORWARDED_URI, 0);
    int original = head.findField(ORIGINAL_URI, 0);
    if (forwarded != NONE && original != NONE) {
      return agree(head, FORWARDED_URI, ORIGINAL_URI)
          && agree(head, FORWARDED_METHOD, ORIGINAL_METHOD)
          && take(head, forwarded, FORWARDED_METHOD);
    }
    if (forwarded == NONE && original == NONE) {
      return fault(
          "x-forwarded-uri",
          "missing",
          "X-Forwarded-Uri and X-Forwarded-Method, or X-Original-URI and X-Original-Method");
    }
    return forwarded != NONE
        ? take(head, forwarded, FORWARDED_METHOD)
        : take(head, original, ORIGINAL_METHOD);
  }

  /**
   * Sets the request whose path stands behind that of the check, and normalises it. A path that
   * climbs above its beginning is refused, as others would read it as another check.
   *
   * @return null; or the fault, with what was expected.
   */
  String ofPath(RequestView head, int prefixLength) {
    DirectBuffer source = head.bytes();
    int start = head.pathOffset();
    int offset = start + prefixLength;
    int length = head.pathLength() - prefixLength;
    spelled.checkLimit(head.pathLength());
    int whole = TargetNormaliser.normalise(source, start, head.pathLength(), spelled, 0);
    if (whole == TargetNormaliser.ALREADY_NORMAL) {
      head.path(offset, length);
      return null;
    }
    int behind = TargetNormaliser.normalise(source, offset, length, spelled, 0);
    if (prefixLength + behind != whole) {
      fault("path", shown(head, start, head.pathLength()), PATH_EXPECTED);
      return fault;
    }
    bytes.wrap(source, 0, source.capacity());
    bytes.putBytes(offset, spelled, 0, behind);
    head.path(offset, behind);
    return null;
  }

  private boolean isTwice(RequestView head, FieldName name) {
    int first = head.findField(name, 0);
    if (first == NONE || head.findField(name, first + 1) == NONE) {
      return false;
    }
    fault(name.toString(), "more than one", "one");
    return true;
  }

  private boolean agree(RequestView head, FieldName name, FieldName other) {
    return all(head, name).equals(all(head, other))
        || fault(other.toString(), value(head, other), "what " + name + " says, or only one pair");
  }

  private static String all(RequestView head, FieldName name) {
    int field = head.findField(name, 0);
    return field == NONE ? "" : head.text(head.valueOffset(field), head.valueLength(field));
  }

  private boolean take(RequestView head, int uri, FieldName methodName) {
    int method = head.findField(methodName, 0);
    if (method == NONE
        || !Ascii.isToken(head.bytes(), head.valueOffset(method), head.valueLength(method))) {
      return fault(methodName.toString(), value(head, methodName), "a method, such as GET");
    }
    head.method(head.valueOffset(method), head.valueLength(method));
    return takeHost(head) && takeUri(head, uri);
  }

  private boolean takeHost(RequestView head) {
    int host = head.findField(FORWARDED_HOST, 0);
    if (host == NONE) {
      return true;
    }
    int offset = head.valueOffset(host);
    int length = head.valueLength(host);
    if (!HostSyntax.isValid(head.bytes(), offset, length)) {
      return fault(FORWARDED_HOST.toString(), value(head, FORWARDED_HOST), "one host");
    }
    head.authority(offset, length);
    return true;
  }

  private boolean takeUri(RequestView head, int uri) {
    DirectBuffer source = head.bytes();
    int offset = head.valueOffset(uri);
    int end = offset + head.valueLength(uri);
    int pathEnd = offset;
    while (pathEnd < end && source.getByte(pathEnd) != '?') {
      pathEnd++;
    }
    bytes.wrap(source, 0, source.capacity());
    int length = TargetNormaliser.normalise(source, offset, pathEnd - offset, bytes, offset);
    if (TargetNormaliser.refusal(length) != null
        || pathEnd < end && !TargetNormaliser.isQuery(source, pathEnd + 1, end - pathEnd - 1)) {
      return fault(name(head, uri), shown(head, uri), "the path of a request, such as /orders?a=b");
    }
    head.path(offset, length == TargetNormaliser.ALREADY_NORMAL ? pathEnd - offset : length);
    head.query(pathEnd + 1, pathEnd < end ? end - pathEnd - 1 : NO_QUERY);
    return true;
  }

  private static String name(RequestView head, int field) {
    return head.text(head.nameOffset(field), head.nameLength(field)).toLowerCase(Locale.ROOT);
  }

  /** The value of a field as it is shown to people: not all of a long one. */
  static String value(RequestView head, FieldName name) {
    int field = head.findField(name, 0);
    return field == NONE ? "missing" : shown(head, field);
  }

  private static String shown(RequestView head, int field) {
    return shown(head, head.valueOffset(field), head.valueLength(field));
  }

  private static String shown(RequestView head, int offset, int length) {
    byte[] shown = new byte[Math.min(SHOWN_BYTES, length)];
    head.bytes().getBytes(offset, shown);
    String text = new String(shown, StandardCharsets.ISO_8859_1);
    return length > SHOWN_BYTES ? text + "... (" + length + " bytes)" : text;
  }

  private boolean fault(String field, String value, String expected) {
    fault = field + ": " + value + " (expected: " + expected + ")";
    return false;
  }
}
