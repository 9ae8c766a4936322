package dev.weir.proxy.http1;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.ForwardedFields;
import dev.weir.proxy.exchange.HostSyntax;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.agrona.DirectBuffer;

/**
 * Writes the head of a request from another protocol: request line, Host, the fields that pass, the
 * framing that HTTP/1.1 needs, and the fields that Weir adds. It is the last defence against a
 * message that contains a second one: what no head of HTTP/1.1 may contain is not written. One per
 * event loop.
 */
final class ForeignHeadWriter {
  private static final byte[] VERSION = ascii(" HTTP/1.1\r\n");
  private static final byte[] CRLF = ascii("\r\n");
  private static final byte[] HOST = ascii("Host: ");
  private static final byte[] COOKIE = ascii("Cookie: ");
  private static final byte[] CRUMB_END = ascii("; ");
  private static final byte[] EXPECT = ascii("Expect: 100-continue\r\n");
  private static final byte[] TE = ascii("TE: trailers\r\nConnection: TE\r\n");
  private static final byte[] WEBSOCKET =
      ascii("Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ");
  private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
  private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");

  private static final FieldName COOKIE_NAME = FieldName.of("cookie");

  /** Methods whose requests usually have content: without content they have Content-Length 0. */
  private static final byte[][] WITH_CONTENT = {ascii("POST"), ascii("PUT"), ascii("PATCH")};

  /** The most bytes that are added to a head, beyond the client's own. */
  private static final int ADDED_BYTES = 512;

  private final FieldPolicy policy = new FieldPolicy();
  private final ForwardedFields forwarded;

  ForeignHeadWriter(ForwardedFields forwarded) {
    this.forwarded = forwarded;
  }

  /**
   * Writes a head.
   *
   * @param key of the WebSocket that is asked for; null if none is.
   * @return a buffer of its own, the caller's to release.
   * @throws IllegalStateException if method, target or host cannot stand in HTTP/1.1.
   */
  ByteBuf write(IncomingRequest head, WebSocketKey key, ByteBufAllocator allocator) {
    RequestView view = head.view();
    check(view);
    ByteBuf out = allocator.directBuffer(mostBytes(view));
    policy.startRequest(view.peer().trusted());
    writeRequestLine(view, out);
    boolean asksForTrailers = writeFields(view, out);
    if (key != null) {
      out.writeBytes(WEBSOCKET);
      key.write(out);
      out.writeBytes(CRLF);
    } else if (asksForTrailers) {
      out.writeBytes(TE);
    }
    if (head.expectContinue()) {
      out.writeBytes(EXPECT);
    }
    writeFraming(head, out);
    forwarded.write(out, view, policy);
    return out.writeBytes(CRLF);
  }

  private static void check(RequestView view) {
    DirectBuffer bytes = view.bytes();
    int method = view.methodOffset();
    int path = view.pathOffset();
    int query = view.queryOffset();
    boolean isHead =
        Ascii.isToken(bytes, method, view.methodLength())
            && view.pathLength() > 0
            && isTarget(bytes, path, path + view.pathLength())
            && isTarget(bytes, query, query + Math.max(0, view.queryLength()))
            && HostSyntax.isValid(bytes, view.authorityOffset(), view.authorityLength());
    if (!isHead) {
      throw new IllegalStateException("a request that HTTP/1.1 cannot hold: " + view);
    }
  }

  private static boolean isTarget(DirectBuffer bytes, int from, int to) {
    return Grammar.endOfTarget(bytes, from, to) == to;
  }

  private static int mostBytes(RequestView view) {
    return ADDED_BYTES
        + view.lineBytes()
        + view.authorityLength()
        + view.peer().text().length
        + view.fieldBytes(FieldWriter.ADDED_BYTES);
  }

  private static void writeRequestLine(RequestView view, ByteBuf out) {
    DirectBuffer bytes = view.bytes();
    TextWriter.copy(bytes, view.methodOffset(), view.methodLength(), out);
    out.writeByte(' ');
    TextWriter.copy(bytes, view.pathOffset(), view.pathLength(), out);
    if (view.queryLength() >= 0) {
      out.writeByte('?');
      TextWriter.copy(bytes, view.queryOffset(), view.queryLength(), out);
    }
    out.writeBytes(VERSION);
    out.writeBytes(HOST);
    TextWriter.copy(bytes, view.authorityOffset(), view.authorityLength(), out);
    out.writeBytes(CRLF);
  }

  /** Writes the fields that pass; whether the client asks for trailers. */
  private boolean writeFields(RequestView view, ByteBuf out) {
    DirectBuffer bytes = view.bytes();
    boolean asksForTrailers = false;
    boolean hasCookie = false;
    for (int i = 0; i < view.fieldCount(); i++) {
      int name = view.nameOffset(i);
      int nameLength = view.nameLength(i);
      KnownField known = KnownField.lookUp(bytes, name, nameLength);
      if (known == KnownField.TE) {
        asksForTrailers |= FieldPolicy.asksForTrailers(view, i);
      } else if (!view.omits(i) && policy.passesForeign(known)) {
        if (!COOKIE_NAME.matches(bytes, name, nameLength)) {
          FieldWriter.write(view, i, out);
        } else if (!hasCookie) {
          hasCookie = true;
          writeCookies(view, i, out);
        }
      }
    }
    return asksForTrailers;
  }

  /** Joins the crumbs of the cookies, from the first one on, to one field. */
  private static void writeCookies(RequestView view, int first, ByteBuf out) {
    int start = out.writerIndex();
    out.writeBytes(COOKIE);
    int empty = out.writerIndex();
    for (int i = first; i >= 0; i = view.findField(COOKIE_NAME, i + 1)) {
      int value = view.valueOffset(i);
      int end = value + view.valueLength(i);
      if (FieldWriter.NOTATION.canHold(view.bytes(), value, end)) {
        out.writeBytes(CRUMB_END, 0, out.writerIndex() == empty ? 0 : CRUMB_END.length);
        TextWriter.copy(view.bytes(), value, end - value, out);
      }
    }
    out.writeBytes(CRLF);
    if (out.writerIndex() == empty + CRLF.length) {
      out.writerIndex(start);
    }
  }

  private static void writeFraming(IncomingRequest head, ByteBuf out) {
    long length = head.contentLength();
    if (length < 0 && head.hasBody()) {
      out.writeBytes(CHUNKED);
    } else if (length >= 0 || hasContentAsARule(head.view())) {
      out.writeBytes(CONTENT_LENGTH);
      TextWriter.writeDecimal(out, Math.max(0, length));
      out.writeBytes(CRLF);
    }
  }

  private static boolean hasContentAsARule(RequestView view) {
    for (byte[] method : WITH_CONTENT) {
      if (Ascii.equals(view.bytes(), view.methodOffset(), view.methodLength(), method)) {
        return true;
      }
    }
    return false;
  }
}
