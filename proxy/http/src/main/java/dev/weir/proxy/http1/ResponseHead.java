package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import org.agrona.DirectBuffer;

/**
 * Scans the head of a response in place, as strictly as a request's: a client must not smuggle a
 * request, and a service must not split a response. One per event loop, reused; valid until the
 * next scan, and while the scanned bytes stay where they are.
 */
public final class ResponseHead implements IncomingResponse {
  /** The result if the head is incomplete, and well-formed so far. */
  public static final int INCOMPLETE = 0;

  /** No response of HTTP/1.1 or HTTP/1.0. */
  public static final int MALFORMED = -1;

  private static final byte[] VERSION_PREFIX = {'H', 'T', 'T', 'P', '/', '1', '.'};

  private static final FieldName CONTENT_TYPE = FieldName.of("content-type");
  private static final byte[] EVENT_STREAM = TextWriter.ascii("text/event-stream");

  /** {@code HTTP/1.1 200}. */
  private static final int STATUS_END = 12;

  private final RequestView fields;
  private final FieldLine field = new FieldLine();
  private final BodyFraming framing = new BodyFraming();
  private final ConnectionField connection = new ConnectionField();
  private final HeadSource source = new HeadSource();
  private boolean headMethod;
  private boolean omitsAny;
  private int status;
  private int reasonOffset;
  private int reasonLength;
  private boolean http10;
  private int transferEncodingField;
  private int rateLimitRemainingField;

  /**
   * @param maxFieldCount the most fields in a head.
   */
  public ResponseHead(int maxFieldCount) {
    fields = new RequestView(maxFieldCount);
  }

  /**
   * Scans the head at the start of {@code bytes[offset, offset + length)}.
   *
   * @return the head's length in bytes, {@link #INCOMPLETE} or {@link #MALFORMED}.
   */
  public int scan(DirectBuffer bytes, int offset, int length) {
    fields.reset(bytes, offset, length, Peer.LOOPBACK);
    framing.reset();
    connection.reset();
    omitsAny = false;
    transferEncodingField = -1;
    rateLimitRemainingField = -1;
    DirectBuffer head = fields.bytes();
    int at = scanStatusLine(head, length);
    while (at > 0) {
      if (at == length) {
        return INCOMPLETE;
      }
      if (head.getByte(at) == '\r') {
        at = Grammar.endOfLine(head, at, length);
        if (at > 0) {
          return check(head) ? at : MALFORMED;
        }
      } else {
        at = scanField(head, at, length);
      }
    }
    return at == FieldLine.INCOMPLETE ? INCOMPLETE : MALFORMED;
  }

  private int scanStatusLine(DirectBuffer head, int limit) {
    int known = Math.min(limit, STATUS_END);
    for (int i = 0; i < known; i++) {
      byte b = head.getByte(i);
      boolean expected =
          i < VERSION_PREFIX.length
              ? b == VERSION_PREFIX[i]
              : i == 7 ? b == '0' || b == '1' : i == 8 ? b == ' ' : Ascii.isDigit(b);
      if (!expected) {
        return FieldLine.MALFORMED;
      }
    }
    int end = known < STATUS_END ? limit : Ascii.findControl(head, STATUS_END, limit);
    if (end == limit) {
      return FieldLine.INCOMPLETE;
    }
    http10 = head.getByte(7) == '0';
    status = (head.getByte(9) - '0') * 100 + (head.getByte(10) - '0') * 10 + head.getByte(11) - '0';
    boolean reasonIsApart = end == STATUS_END || head.getByte(STATUS_END) == ' ';
    if (status < 100 || status > 599 || !reasonIsApart) {
      return FieldLine.MALFORMED;
    }
    reasonOffset = STATUS_END;
    reasonLength = end - STATUS_END;
    return Grammar.endOfLine(head, end, limit);
  }

  private int scanField(DirectBuffer head, int at, int limit) {
    int end = field.scan(head, at, limit);
    if (end <= 0) {
      return end;
    }
    int nameLength = field.nameLength();
    int offset = field.valueOffset();
    int length = field.valueLength();
    if (!fields.addField(at, nameLength, offset, length)) {
      return FieldLine.MALFORMED;
    }
    int index = fields.fieldCount() - 1;
    KnownField known = KnownField.lookUp(head, at, nameLength);
    if (known == null) {
      return end;
    }
    boolean wellFormed =
        switch (known) {
          case CONTENT_LENGTH -> {
            if (framesNothing()) {
              omit(index);
            }
            yield framing.contentLength(head, offset, length);
          }
          case TRANSFER_ENCODING -> {
            if (framesNothing()) {
              omit(index);
            } else {
              transferEncodingField = index;
            }
            yield framing.transferEncoding(head, offset, length);
          }
          case CONNECTION -> connection.add(head, offset, length);
          case UPGRADE -> {
            if (status != 101) {
              omit(index);
            }
            yield true;
          }
          case X_RATELIMIT_REMAINING -> {
            rateLimitRemainingField = index;
            yield true;
          }
          default -> true;
        };
    if (!FieldPolicy.passesResponse(known)) {
      omit(index);
    }
    return wellFormed ? end : FieldLine.MALFORMED;
  }

  /** Whether the status forbids the fields of a body's framing (RFC 9112, section 6). */
  private boolean framesNothing() {
    return status < 200 || status == 204;
  }

  private boolean check(DirectBuffer head) {
    if (framing.chunked() && (framing.contentLength() >= 0 || http10)) {
      return false;
    }
    if (connection.nominatesAny()) {
      for (int i = 0; i < fields.fieldCount(); i++) {
        int offset = fields.nameOffset(i);
        int length = fields.nameLength(i);
        if (connection.nominates(head, offset, length)
            && FieldPolicy.serviceMayRemove(head, offset, length)) {
          omit(i);
        }
      }
    }
    return true;
  }

  private void omit(int fieldIndex) {
    fields.omit(fieldIndex);
    omitsAny = true;
  }

  @Override
  public RequestView fields() {
    return fields;
  }

  /** The bytes of the scanned head, once they have been set. */
  public HeadSource source() {
    return source;
  }

  @Override
  public int status() {
    return status;
  }

  /** Whether another response to the same request follows. */
  public boolean informational() {
    return status < 200 && status != 101;
  }

  /** The offset of the reason phrase, from the space before it. */
  int reasonOffset() {
    return reasonOffset;
  }

  int reasonLength() {
    return reasonLength;
  }

  public boolean chunked() {
    return framing.chunked();
  }

  @Override
  public long contentLength() {
    return framing.contentLength();
  }

  /**
   * Sets the request that the response answers.
   *
   * @param toHeadMethod whether the request's method was HEAD.
   */
  public void answers(boolean toHeadMethod) {
    headMethod = toHeadMethod;
  }

  /**
   * Whether there is no body, whatever the fields say (RFC 9112, section 6.3).
   *
   * @param headMethod whether the request's method was HEAD.
   */
  public boolean bodyless(boolean headMethod) {
    return headMethod || status < 200 || status == 204 || status == 304;
  }

  @Override
  public boolean hasBody() {
    return !bodyless(headMethod) && contentLength() != 0;
  }

  /** Whether the body, if there is one, ends with the connection. */
  public boolean closeDelimited() {
    return !framing.chunked() && framing.contentLength() < 0;
  }

  /** Whether the body is a stream of server-sent events. */
  public boolean eventStream() {
    if (framing.contentLength() >= 0) {
      return false;
    }
    int type = fields.findField(CONTENT_TYPE, 0);
    return type >= 0
        && fields.valueLength(type) >= EVENT_STREAM.length
        && Ascii.equalsIgnoreCase(
            fields.bytes(), fields.valueOffset(type), EVENT_STREAM.length, EVENT_STREAM);
  }

  /** Whether the upstream keeps the connection open for another request. */
  public boolean keepAlive() {
    return !connection.close() && (!http10 || connection.keepAlive());
  }

  int transferEncodingField() {
    return transferEncodingField;
  }

  @Override
  public long rateLimitRemaining() {
    if (rateLimitRemainingField < 0) {
      return -1;
    }
    return Ascii.decimal(
        fields.bytes(),
        fields.valueOffset(rateLimitRemainingField),
        fields.valueLength(rateLimitRemainingField));
  }

  boolean omitsAny() {
    return omitsAny;
  }
}
