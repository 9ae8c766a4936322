package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
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

  private static final byte[] HEAD = {'H', 'E', 'A', 'D'};
  private static final byte[] GET = {'G', 'E', 'T'};

  private final int maxTargetBytes;
  private final RequestView view;
  private final RequestLine line = new RequestLine();
  private final FieldLine field = new FieldLine();
  private final RequestFields fields;
  private final HeadSource source = new HeadSource();

  private RefusalReason fault;
  private boolean headMethod;

  /**
   * @param maxFieldCount the most fields in a head.
   * @param maxTargetBytes the longest request target, in bytes.
   */
  public RequestHead(int maxFieldCount, int maxTargetBytes) {
    this.maxTargetBytes = maxTargetBytes;
    this.view = new RequestView(maxFieldCount);
    this.fields = new RequestFields(view, maxFieldCount);
  }

  /**
   * Scans the head at the start of {@code bytes[offset, offset + length)}.
   *
   * @param peer who sent it.
   * @return the head's length in bytes, {@link #INCOMPLETE} or {@link #REFUSED}.
   */
  public int scan(DirectBuffer bytes, int offset, int length, Peer peer) {
    view.reset(bytes, offset, length, peer);
    fields.reset(peer.trusted());
    fault = null;

    DirectBuffer head = view.bytes();
    int at = line.scan(head, length, maxTargetBytes);
    if (at <= 0) {
      return at == FieldLine.INCOMPLETE ? INCOMPLETE : refuse(line.fault());
    }
    fields.http10(line.http10());
    at = scanFields(head, at, length);
    if (at <= 0) {
      return at;
    }
    RefusalReason reason = fields.check(head);
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
        RefusalReason reason = fields.take(known, head, view.fieldCount() - 1);
        if (reason != null) {
          return refuse(reason);
        }
      }
      at = end;
    }
  }

  private void describe(DirectBuffer head) {
    view.method(line.methodOffset(), line.methodLength());
    view.path(line.pathOffset(), line.pathLength());
    if (line.queryLength() >= 0) {
      view.query(line.queryOffset(), line.queryLength());
    }
    if (line.absoluteForm()) {
      view.authority(line.authorityOffset(), line.authorityLength());
    } else if (hasHost()) {
      int host = fields.hostField();
      view.authority(view.valueOffset(host), view.valueLength(host));
    }
    headMethod = isMethod(head, HEAD);
  }

  private boolean isMethod(DirectBuffer head, byte[] method) {
    return Ascii.equals(head, line.methodOffset(), line.methodLength(), method);
  }

  private int refuse(RefusalReason reason) {
    fault = reason;
    return REFUSED;
  }

  /** The bytes of the scanned head, once it has been said where they are. */
  public HeadSource source() {
    return source;
  }

  /** Why the head was refused. */
  public RefusalReason fault() {
    return fault;
  }

  /** The request as admission sees it. */
  @Override
  public RequestView view() {
    return view;
  }

  /** Whether any byte of a body follows the head. */
  @Override
  public boolean hasBody() {
    return fields.hasBody();
  }

  /** The body's length in bytes; -1 if the head gives none. */
  @Override
  public long contentLength() {
    return fields.contentLength();
  }

  public boolean chunked() {
    return fields.chunked();
  }

  public boolean http10() {
    return line.http10();
  }

  /** Whether the client keeps the connection open for another request. */
  public boolean keepAlive() {
    return fields.keepAlive();
  }

  /** Whether the method is HEAD, whose response has no body. */
  @Override
  public boolean headMethod() {
    return headMethod;
  }

  /** Whether the client awaits a 100 before it sends the body. */
  @Override
  public boolean expectContinue() {
    return fields.expectContinue();
  }

  /** Whether the client asks for another protocol, and may have it. */
  @Override
  public boolean upgrade() {
    return fields.upgrade();
  }

  @Override
  public boolean webSocket() {
    return fields.upgrade() && fields.webSocketKeyField() >= 0 && isMethod(view.bytes(), GET);
  }

  /** A copy of the key of the {@link #webSocket} that is asked for. */
  public WebSocketKey webSocketKey() {
    return WebSocketKey.of(view.bytes(), view.valueOffset(fields.webSocketKeyField()));
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
    return fields.hostField() >= 0;
  }

  boolean isHost(int fieldIndex) {
    return fieldIndex == fields.hostField();
  }

  /** Which fields the proxy writes of its own. */
  FieldPolicy policy() {
    return fields.policy();
  }

  /**
   * The field whose value must be written anew as {@link #contentLength()}; -1 if there is none.
   */
  int rewrittenContentLengthField() {
    return fields.rewrittenContentLengthField();
  }

  boolean omitsAny() {
    return fields.omitsAny();
  }

  boolean omits(int fieldIndex) {
    return fields.omits(fieldIndex);
  }
}
