package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.HostSyntax;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TargetNormaliser;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Scans the head of a request in place: request line, fields, and what they say about host, body,
 * connection and upgrade. HTTP/1.1 itself reads the fields that frame and route; {@link
 * FieldPolicy} decides about all others. One per event loop, reused; valid until the next scan, and
 * while the scanned bytes stay where they are.
 *
 * <p>All offsets count from the start of the head.
 */
public final class RequestHead implements IncomingRequest {
  /** The result if the head is incomplete, and well-formed so far. */
  public static final int INCOMPLETE = 0;

  /** The result if the head is refused; {@link #fault()} is the reason. */
  public static final int REFUSED = -1;

  private static final byte[] HEAD = {'H', 'E', 'A', 'D'};
  private static final byte[] GET = {'G', 'E', 'T'};
  private static final byte[] CONTINUE = {
    '1', '0', '0', '-', 'c', 'o', 'n', 't', 'i', 'n', 'u', 'e'
  };
  private static final byte[] H2C = {'h', '2', 'c'};

  private final int maxTargetBytes;
  private final RequestView view;
  private final RequestLine line;
  private final FieldLine field = new FieldLine();
  private final BodyFraming framing = new BodyFraming();
  private final ConnectionField connection = new ConnectionField();
  private final FieldPolicy policy = new FieldPolicy();
  private final HeadSource source = new HeadSource();

  private RefusalReason fault;
  private boolean headMethod;
  private int hostField;
  private int expectField;
  private int upgradeField;
  private int webSocketKeyField;
  private int contentLengthField;
  private boolean expectContinue;
  private boolean omitsAny;

  /**
   * @param maxFieldCount the most fields in a head.
   * @param maxTargetBytes the longest request target, in bytes.
   */
  public RequestHead(int maxFieldCount, int maxTargetBytes) {
    this.maxTargetBytes = maxTargetBytes;
    this.view = new RequestView(maxFieldCount);
    this.line = new RequestLine(view);
  }

  /**
   * Scans the head at the start of {@code bytes[offset, offset + length)}.
   *
   * @param peer who sent it.
   * @return the head's length in bytes, {@link #INCOMPLETE} or {@link #REFUSED}.
   */
  public int scan(DirectBuffer bytes, int offset, int length, Peer peer) {
    view.reset(bytes, offset, length, peer);
    framing.reset();
    connection.reset();
    policy.startRequest(peer.trusted());
    hostField = expectField = upgradeField = contentLengthField = webSocketKeyField = -1;
    expectContinue = false;
    omitsAny = false;
    fault = null;

    DirectBuffer head = view.bytes();
    int at = line.scan(head, length, maxTargetBytes);
    if (at <= 0) {
      return at == FieldLine.INCOMPLETE ? INCOMPLETE : refuse(line.fault());
    }
    at = scanFields(head, at, length);
    if (at <= 0) {
      return at;
    }
    RefusalReason reason = check(head);
    if (reason != null) {
      return refuse(reason);
    }
    describe(head);
    return at;
  }

  /**
   * Brings the path of the scanned head into the form that is forwarded, in place.
   *
   * @param bytes in which the head begins at 0.
   * @return the reason to refuse the request; null if there is none.
   */
  public RefusalReason normalisePath(MutableDirectBuffer bytes) {
    if (asteriskForm()) {
      return null;
    }
    int offset = view.pathOffset();
    int result = TargetNormaliser.normalise(bytes, offset, view.pathLength(), bytes, offset);
    if (result > 0) {
      view.path(offset, result);
    }
    return TargetNormaliser.refusal(result);
  }

  private int scanFields(DirectBuffer head, int from, int limit) {
    int at = from;
    while (true) {
      if (at == limit) {
        return INCOMPLETE;
      }
      if (head.getByte(at) == '\r') {
        int end = Grammar.endOfLine(head, at, limit);
        return end > 0
            ? end
            : end == FieldLine.INCOMPLETE ? INCOMPLETE : refuse(RefusalReason.MALFORMED_FIELD);
      }
      int end = field.scan(head, at, limit);
      if (end <= 0) {
        return end == FieldLine.INCOMPLETE ? INCOMPLETE : refuse(RefusalReason.MALFORMED_FIELD);
      }
      int nameLength = field.nameLength();
      if (!view.addField(at, nameLength, field.valueOffset(), field.valueLength())) {
        return refuse(RefusalReason.HEAD_TOO_LARGE);
      }
      KnownField known = KnownField.lookUp(head, at, nameLength);
      if (known != null) {
        RefusalReason reason = take(known, head, view.fieldCount() - 1);
        if (reason != null) {
          return refuse(reason);
        }
      }
      at = end;
    }
  }

  /** Takes note of a field that concerns the proxy; the reason if it refuses the request. */
  private RefusalReason take(KnownField known, DirectBuffer head, int index) {
    int offset = view.valueOffset(index);
    int length = view.valueLength(index);
    switch (known) {
      case HOST -> {
        if (hostField >= 0 || !HostSyntax.isValid(head, offset, length)) {
          return RefusalReason.MALFORMED_HOST;
        }
        hostField = index;
      }
      case CONTENT_LENGTH -> {
        if (!framing.contentLength(head, offset, length)) {
          return RefusalReason.MALFORMED_CONTENT_LENGTH;
        }
        contentLengthField = index;
      }
      case TRANSFER_ENCODING -> {
        if (!framing.transferEncoding(head, offset, length)) {
          return RefusalReason.MALFORMED_TRANSFER_ENCODING;
        }
      }
      case CONNECTION -> {
        if (!connection.add(head, offset, length)) {
          return RefusalReason.MALFORMED_FIELD;
        }
      }
      case EXPECT -> {
        if (http10() || expectField >= 0) {
          omit(index);
        }
        expectField = index;
        if (!http10()) {
          if (!Ascii.equalsIgnoreCase(head, offset, length, CONTINUE)) {
            return RefusalReason.EXPECTATION_FAILED;
          }
          expectContinue = true;
        }
      }
      case UPGRADE -> {
        if (upgradeField >= 0) {
          omit(index);
        } else {
          upgradeField = index;
        }
      }
      case SEC_WEBSOCKET_KEY -> webSocketKeyField = index;
      default -> {
        // The policy says all that there is to say of the others.
      }
    }
    if (!policy.passesRequest(known)) {
      omit(index);
    }
    return null;
  }

  /** Checks the fields together, once all are there; the reason if they refuse the request. */
  private RefusalReason check(DirectBuffer head) {
    if (framing.chunked() && framing.contentLength() >= 0) {
      return RefusalReason.MALFORMED_TRANSFER_ENCODING;
    }
    if (framing.chunked() && http10()) {
      return RefusalReason.MALFORMED_TRANSFER_ENCODING;
    }
    if (hostField < 0 && !http10()) {
      return RefusalReason.MALFORMED_HOST;
    }
    if (connection.nominatesAny()) {
      omitNominated(head);
    }
    if (upgradeField >= 0 && !upgrades(head)) {
      omit(upgradeField);
      upgradeField = -1;
    }
    return null;
  }

  private void omitNominated(DirectBuffer head) {
    for (int i = 0; i < view.fieldCount(); i++) {
      int offset = view.nameOffset(i);
      int length = view.nameLength(i);
      if (!view.omits(i)
          && connection.nominates(head, offset, length)
          && FieldPolicy.clientMayRemove(head, offset, length)) {
        omit(i);
      }
    }
  }

  /** An upgrade is passed on if it is asked for in full, without a body, and not to HTTP/2. */
  private boolean upgrades(DirectBuffer head) {
    if (!connection.upgrade() || http10() || hasBody()) {
      return false;
    }
    int offset = view.valueOffset(upgradeField);
    int end = offset + view.valueLength(upgradeField);
    for (int i = offset; i + H2C.length <= end; i++) {
      if (Ascii.equalsIgnoreCase(head, i, H2C.length, H2C)) {
        return false;
      }
    }
    return offset < end;
  }

  private void omit(int fieldIndex) {
    view.omit(fieldIndex);
    omitsAny = true;
  }

  private void describe(DirectBuffer head) {
    if (!line.absoluteForm() && hasHost()) {
      view.authority(view.valueOffset(hostField), view.valueLength(hostField));
    }
    headMethod = isMethod(head, HEAD);
    view.contentLength(
        framing.chunked() ? RequestView.UNKNOWN_LENGTH : Math.max(0, framing.contentLength()));
  }

  private boolean isMethod(DirectBuffer head, byte[] method) {
    return Ascii.equals(head, view.methodOffset(), view.methodLength(), method);
  }

  private int refuse(RefusalReason reason) {
    fault = reason;
    return REFUSED;
  }

  /** The bytes of the scanned head, once they have been set. */
  public HeadSource source() {
    return source;
  }

  public RefusalReason fault() {
    return fault;
  }

  @Override
  public RequestView view() {
    return view;
  }

  @Override
  public boolean hasBody() {
    return framing.chunked() || framing.contentLength() > 0;
  }

  @Override
  public long contentLength() {
    return framing.contentLength();
  }

  public boolean chunked() {
    return framing.chunked();
  }

  public boolean http10() {
    return line.http10();
  }

  /** Whether the client keeps the connection open for another request. */
  public boolean keepAlive() {
    return !connection.close() && (!http10() || connection.keepAlive());
  }

  @Override
  public boolean headMethod() {
    return headMethod;
  }

  @Override
  public boolean expectContinue() {
    return expectContinue;
  }

  @Override
  public boolean upgrade() {
    return upgradeField >= 0;
  }

  @Override
  public boolean webSocket() {
    return upgradeField >= 0
        && webSocketKeyField >= 0
        && !view.omits(webSocketKeyField)
        && WebSocketKey.isWebSocket(
            view.bytes(), view.valueOffset(upgradeField), view.valueLength(upgradeField))
        && WebSocketKey.isValid(
            view.bytes(), view.valueOffset(webSocketKeyField), view.valueLength(webSocketKeyField))
        && isMethod(view.bytes(), GET);
  }

  /** A copy of the key of the {@link #webSocket} that is asked for. */
  public WebSocketKey webSocketKey() {
    return WebSocketKey.of(view.bytes(), view.valueOffset(webSocketKeyField));
  }

  /** Whether the request target is a whole URI. */
  public boolean absoluteForm() {
    return line.absoluteForm();
  }

  /** Whether the target is the asterisk of {@code OPTIONS *}. */
  public boolean asteriskForm() {
    return line.asteriskForm();
  }

  boolean hasHost() {
    return hostField >= 0;
  }

  boolean isHost(int fieldIndex) {
    return fieldIndex == hostField;
  }

  /** Which fields the proxy writes of its own. */
  FieldPolicy policy() {
    return policy;
  }

  /** The field whose value must be rewritten as {@link #contentLength()}; -1 if there is none. */
  int rewrittenContentLengthField() {
    return framing.contentLengthCanonical() ? -1 : contentLengthField;
  }

  boolean omitsAny() {
    return omitsAny;
  }
}
