package dev.weir.proxy.http1;

import dev.weir.proxy.http.FieldPolicy;
import dev.weir.proxy.http.IncomingRequest;
import dev.weir.proxy.http.KnownField;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import org.agrona.DirectBuffer;

/**
 * Scans the head of a request in place: request line, fields, and what they say about host, body
 * and connection. One per event loop, reused for every request; what it says is valid until the
 * next scan and while the scanned bytes stay where they are.
 *
 * <p>All offsets count from the start of the head.
 */
public final class RequestHead implements IncomingRequest {
  /** The head does not end yet; what is there is well formed. */
  public static final int INCOMPLETE = 0;

  /** The head is refused; {@link #fault()} says why. */
  public static final int REFUSED = -1;

  private static final byte[] CONTINUE = {
    '1', '0', '0', '-', 'c', 'o', 'n', 't', 'i', 'n', 'u', 'e'
  };
  private static final byte[] HEAD = {'H', 'E', 'A', 'D'};
  private static final byte[] H2C = {'h', '2', 'c'};

  private final int maxTargetBytes;
  private final RequestView view;
  private final RequestLine line = new RequestLine();
  private final FieldLine field = new FieldLine();
  private final BodyFraming framing = new BodyFraming();
  private final ConnectionField connection = new ConnectionField();
  private final FieldPolicy policy = new FieldPolicy();
  private final int[] omitted;

  private int omittedCount;
  private RefusalReason fault;
  private int hostField;
  private int expectField;
  private int upgradeField;
  private int contentLengthField;
  private int forwardedForCount;
  private boolean expectContinue;
  private boolean headMethod;
  private ByteBuf source;
  private int sourceStart;
  private int sourceLength;
  private byte[] peerText;

  /**
   * @param maxFieldCount the most fields in a head.
   * @param maxTargetBytes the longest request target, in bytes.
   */
  public RequestHead(int maxFieldCount, int maxTargetBytes) {
    this.maxTargetBytes = maxTargetBytes;
    this.view = new RequestView(maxFieldCount);
    this.omitted = new int[maxFieldCount];
  }

  /**
   * Scans the head at the start of {@code bytes[offset, offset + length)}.
   *
   * @param peer who sent it.
   * @param peerTrusted whether what the peer says of other addresses is believed.
   * @return the head's length in bytes, {@link #INCOMPLETE} or {@link #REFUSED}.
   */
  public int scan(DirectBuffer bytes, int offset, int length, IpAddress peer, boolean peerTrusted) {
    view.reset(bytes, offset, length, peer);
    framing.reset();
    connection.reset();
    policy.startRequest(peerTrusted);
    omittedCount = 0;
    fault = null;
    hostField = expectField = upgradeField = contentLengthField = -1;
    forwardedForCount = 0;
    expectContinue = false;

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
        if (line.http10() || expectField >= 0) {
          omit(index);
        }
        expectField = index;
        if (!line.http10()) {
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
      case X_FORWARDED_FOR -> forwardedForCount++;
      default -> {
        // The policy says all that there is to say of the others.
      }
    }
    if (!policy.passesRequest(known)) {
      omit(index);
    }
    return null;
  }

  /** What can be said only of the whole head. */
  private RefusalReason check(DirectBuffer head) {
    if (framing.chunked() && framing.contentLength() >= 0) {
      return RefusalReason.MALFORMED_TRANSFER_ENCODING;
    }
    if (framing.chunked() && line.http10()) {
      return RefusalReason.MALFORMED_TRANSFER_ENCODING;
    }
    if (hostField < 0 && !line.http10()) {
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
      if (!isOmitted(i)
          && connection.nominates(head, offset, length)
          && FieldPolicy.clientMayRemove(head, offset, length)) {
        omit(i);
      }
    }
  }

  /** An upgrade is passed on if it is asked for in full, without a body, and not to HTTP/2. */
  private boolean upgrades(DirectBuffer head) {
    if (!connection.upgrade() || line.http10() || hasBody()) {
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

  private void describe(DirectBuffer head) {
    view.method(line.methodOffset(), line.methodLength());
    view.path(line.pathOffset(), line.pathLength());
    if (line.queryLength() >= 0) {
      view.query(line.queryOffset(), line.queryLength());
    }
    if (line.absoluteForm()) {
      view.authority(line.authorityOffset(), line.authorityLength());
    } else if (hostField >= 0) {
      view.authority(view.valueOffset(hostField), view.valueLength(hostField));
    }
    headMethod = false;
    if (line.methodLength() == HEAD.length) {
      headMethod = true;
      for (int i = 0; i < HEAD.length; i++) {
        headMethod &= head.getByte(line.methodOffset() + i) == HEAD[i];
      }
    }
  }

  private void omit(int fieldIndex) {
    if (!isOmitted(fieldIndex)) {
      omitted[omittedCount++] = fieldIndex;
      view.omit(fieldIndex);
    }
  }

  private boolean isOmitted(int fieldIndex) {
    for (int i = 0; i < omittedCount; i++) {
      if (omitted[i] == fieldIndex) {
        return true;
      }
    }
    return false;
  }

  private int refuse(RefusalReason reason) {
    fault = reason;
    return REFUSED;
  }

  /**
   * Says where the bytes of the scanned head are.
   *
   * @param in stays the caller's.
   * @param start where the head starts in {@code in}.
   * @param length the head's length in bytes.
   * @param peer the peer's address, as text.
   */
  public void source(ByteBuf in, int start, int length, byte[] peer) {
    source = in;
    sourceStart = start;
    sourceLength = length;
    peerText = peer;
  }

  ByteBuf source() {
    return source;
  }

  int sourceStart() {
    return sourceStart;
  }

  int sourceLength() {
    return sourceLength;
  }

  @Override
  public byte[] peerText() {
    return peerText;
  }

  /** Why the head was refused. */
  public RefusalReason fault() {
    return fault;
  }

  /** What admission sees of the request. */
  @Override
  public RequestView view() {
    return view;
  }

  /** Whether any byte of a body follows the head. */
  @Override
  public boolean hasBody() {
    return framing.chunked() || framing.contentLength() > 0;
  }

  /** The body's length in bytes; -1 if the head gives none. */
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
    return !connection.close() && (!line.http10() || connection.keepAlive());
  }

  /** Whether the method is HEAD, whose response has no body. */
  @Override
  public boolean headMethod() {
    return headMethod;
  }

  /** Whether the client awaits a 100 before it sends the body. */
  @Override
  public boolean expectContinue() {
    return expectContinue;
  }

  /** Whether the client asks for another protocol, and may have it. */
  @Override
  public boolean upgrade() {
    return upgradeField >= 0;
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

  /** Whether the proxy writes such a field of its own. */
  boolean adds(KnownField known) {
    return policy.addsToRequest(known);
  }

  boolean hasForwardedFor() {
    return forwardedForCount > 0;
  }

  boolean isForwardedFor(int fieldIndex) {
    return KnownField.lookUp(view.bytes(), view.nameOffset(fieldIndex), view.nameLength(fieldIndex))
        == KnownField.X_FORWARDED_FOR;
  }

  /**
   * The field whose value must be written anew as {@link #contentLength()}; -1 if there is none.
   */
  int rewrittenContentLengthField() {
    return framing.contentLengthCanonical() ? -1 : contentLengthField;
  }

  int omittedCount() {
    return omittedCount;
  }

  boolean omits(int fieldIndex) {
    return omittedCount > 0 && isOmitted(fieldIndex);
  }
}
