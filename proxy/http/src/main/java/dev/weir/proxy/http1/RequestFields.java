package dev.weir.proxy.http1;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.HostSyntax;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import org.agrona.DirectBuffer;

/**
 * The fields of a request's head: what they say of host, body, connection and upgrade, and which of
 * them are passed on as they came. HTTP/1.1 reads the fields that frame and route; of all others
 * the {@link FieldPolicy} says what becomes of them. Reused, as the head is that it is a part of.
 */
final class RequestFields {
  private static final byte[] CONTINUE = {
    '1', '0', '0', '-', 'c', 'o', 'n', 't', 'i', 'n', 'u', 'e'
  };
  private static final byte[] H2C = {'h', '2', 'c'};

  private final RequestView view;
  private final BodyFraming framing = new BodyFraming();
  private final ConnectionField connection = new ConnectionField();
  private final FieldPolicy policy = new FieldPolicy();
  private final OmittedFields omitted;

  private boolean http10;
  private int hostField;
  private int expectField;
  private int upgradeField;
  private int webSocketKeyField;
  private int contentLengthField;
  private boolean expectContinue;

  /**
   * @param view has the fields, each before it is taken.
   */
  RequestFields(RequestView view, int maxFieldCount) {
    this.view = view;
    this.omitted = new OmittedFields(maxFieldCount);
  }

  /** Starts with a new head. */
  void reset(boolean peerTrusted) {
    framing.reset();
    connection.reset();
    policy.startRequest(peerTrusted);
    omitted.reset();
    hostField = expectField = upgradeField = contentLengthField = webSocketKeyField = -1;
    expectContinue = false;
  }

  /** Says what version the request line has, before the first field. */
  void http10(boolean isHttp10) {
    http10 = isHttp10;
  }

  /** Takes note of a field that concerns the proxy; the reason if it refuses the request. */
  RefusalReason take(KnownField known, DirectBuffer head, int index) {
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
        if (http10 || expectField >= 0) {
          omit(index);
        }
        expectField = index;
        if (!http10) {
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
  RefusalReason check(DirectBuffer head) {
    if (framing.chunked() && framing.contentLength() >= 0) {
      return RefusalReason.MALFORMED_TRANSFER_ENCODING;
    }
    if (framing.chunked() && http10) {
      return RefusalReason.MALFORMED_TRANSFER_ENCODING;
    }
    if (hostField < 0 && !http10) {
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
      if (!omitted.contains(i)
          && connection.nominates(head, offset, length)
          && FieldPolicy.clientMayRemove(head, offset, length)) {
        omit(i);
      }
    }
  }

  /** An upgrade is passed on if it is asked for in full, without a body, and not to HTTP/2. */
  private boolean upgrades(DirectBuffer head) {
    if (!connection.upgrade() || http10 || hasBody()) {
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
    omitted.add(fieldIndex);
    view.omit(fieldIndex);
  }

  boolean hasBody() {
    return framing.chunked() || framing.contentLength() > 0;
  }

  /** The length that Content-Length gives; -1 if there is no such field. */
  long contentLength() {
    return framing.contentLength();
  }

  boolean chunked() {
    return framing.chunked();
  }

  boolean keepAlive() {
    return !connection.close() && (!http10 || connection.keepAlive());
  }

  boolean expectContinue() {
    return expectContinue;
  }

  boolean upgrade() {
    return upgradeField >= 0;
  }

  /** The index of the key of a WebSocket that is asked for, and nothing else; -1 if none is. */
  int webSocketKeyField() {
    boolean isAskedFor =
        upgradeField >= 0
            && webSocketKeyField >= 0
            && !omitted.contains(webSocketKeyField)
            && WebSocketKey.isWebSocket(
                view.bytes(), view.valueOffset(upgradeField), view.valueLength(upgradeField))
            && WebSocketKey.isValid(
                view.bytes(),
                view.valueOffset(webSocketKeyField),
                view.valueLength(webSocketKeyField));
    return isAskedFor ? webSocketKeyField : -1;
  }

  /** The index of the Host field; -1 if there is none. */
  int hostField() {
    return hostField;
  }

  /** Which fields the proxy writes of its own. */
  FieldPolicy policy() {
    return policy;
  }

  /**
   * The field whose value must be written anew as {@link #contentLength()}; -1 if there is none.
   */
  int rewrittenContentLengthField() {
    return framing.contentLengthCanonical() ? -1 : contentLengthField;
  }

  boolean omitsAny() {
    return !omitted.isEmpty();
  }

  boolean omits(int fieldIndex) {
    return omitted.contains(fieldIndex);
  }
}
