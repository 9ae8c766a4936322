package dev.weir.proxy.http1;

import static dev.weir.proxy.exchange.TextWriter.ascii;

import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.exchange.RequestIds;
import dev.weir.proxy.exchange.TextWriter;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Writes the head that goes to the upstream: the request line in origin form and HTTP/1.1, every
 * field that is not the client connection's own as it came, and behind them who asked and through
 * what. One per event loop.
 */
public final class RequestHeadWriter {
  private static final byte[] VERSION = ascii(" HTTP/1.1\r\n");
  private static final byte[] CRLF = ascii("\r\n");
  private static final byte[] HOST = ascii("Host: ");
  private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
  private static final byte[] UPGRADE = ascii("Connection: upgrade\r\n");
  private static final byte[] FORWARDED_FOR = ascii("X-Forwarded-For: ");
  private static final byte[] FORWARDED_HOST = ascii("X-Forwarded-Host: ");
  private static final byte[] FORWARDED_PROTO = ascii("X-Forwarded-Proto: http\r\n");
  private static final byte[] FORWARDED_PROTO_SECURE = ascii("X-Forwarded-Proto: https\r\n");
  private static final byte[] VIA = ascii("Via: 1.1 weir\r\n");
  private static final byte[] REQUEST_ID = ascii("X-Request-Id: ");

  /** The most bytes that are added to a head, beyond the client's own host and address list. */
  private static final int ADDED_BYTES = 512;

  private final byte[] upstreamAuthority;
  private final RequestIds requestIds = new RequestIds();
  private final ForeignHeadWriter foreign = new ForeignHeadWriter(requestIds);

  /**
   * @param upstreamAuthority what to say as Host for a client of HTTP/1.0 that gave none.
   */
  public RequestHeadWriter(String upstreamAuthority) {
    this.upstreamAuthority = ascii(upstreamAuthority);
  }

  /**
   * Writes the head that goes to the upstream.
   *
   * @param head as scanned, its path normalised, its source said.
   * @return a buffer of its own, the caller's to release.
   */
  public ByteBuf write(RequestHead head, ByteBufAllocator allocator) {
    byte[] peerAddress = head.view().peer().text();
    ByteBuf out =
        allocator.directBuffer(
            2 * head.source().length()
                + upstreamAuthority.length
                + peerAddress.length
                + ADDED_BYTES);
    write(head, peerAddress, out);
    return out;
  }

  private void write(RequestHead head, byte[] peerAddress, ByteBuf out) {
    RequestView view = head.view();
    HeadSource in = head.source();
    writeRequestLine(view, in, out);
    writeKeptFields(head, view, in, out);
    writeHost(head, view, in, out);
    if (head.rewrittenContentLengthField() >= 0) {
      out.writeBytes(CONTENT_LENGTH);
      TextWriter.writeDecimal(out, head.contentLength());
      out.writeBytes(CRLF);
    }
    if (head.upgrade()) {
      out.writeBytes(UPGRADE);
    }
    writeForwarded(head, view, in, peerAddress, out);
    if (head.adds(KnownField.X_REQUEST_ID)) {
      writeRequestId(out);
    }
    out.writeBytes(CRLF);
  }

  private void writeRequestId(ByteBuf out) {
    out.writeBytes(REQUEST_ID);
    requestIds.writeNext(out);
    out.writeBytes(CRLF);
  }

  /**
   * Writes the head of a request that came in another protocol.
   *
   * @param key of the WebSocket that is asked for; null if none is.
   * @return a buffer of its own, the caller's to release.
   */
  public ByteBuf writeForeign(IncomingRequest head, WebSocketKey key, ByteBufAllocator allocator) {
    return foreign.write(head, key, allocator);
  }

  private static void writeRequestLine(RequestView view, HeadSource in, ByteBuf out) {
    in.copy(view.methodOffset(), view.methodLength(), out);
    out.writeByte(' ');
    in.copy(view.pathOffset(), view.pathLength(), out);
    if (view.queryLength() >= 0) {
      out.writeByte('?');
      in.copy(view.queryOffset(), view.queryLength(), out);
    }
    out.writeBytes(VERSION);
  }

  /** Copies what stays, in as few pieces as there are gaps. */
  private static void writeKeptFields(
      RequestHead head, RequestView view, HeadSource in, ByteBuf out) {
    int count = view.fieldCount();
    int end = in.length() - CRLF.length;
    int from = count == 0 ? end : view.nameOffset(0);
    boolean replacesHost = head.absoluteForm();
    int lengthField = head.rewrittenContentLengthField();
    if (head.omitsAny() || replacesHost || lengthField >= 0) {
      for (int i = 0; i < count; i++) {
        if (head.omits(i) || i == lengthField || replacesHost && head.isHost(i)) {
          int lineStart = view.nameOffset(i);
          in.copy(from, lineStart - from, out);
          from = i + 1 < count ? view.nameOffset(i + 1) : end;
        }
      }
    }
    in.copy(from, end - from, out);
  }

  private void writeHost(RequestHead head, RequestView view, HeadSource in, ByteBuf out) {
    if (head.absoluteForm()) {
      out.writeBytes(HOST);
      in.copy(view.authorityOffset(), view.authorityLength(), out);
      out.writeBytes(CRLF);
    } else if (!head.hasHost()) {
      out.writeBytes(HOST);
      out.writeBytes(upstreamAuthority);
      out.writeBytes(CRLF);
    }
  }

  private static void writeForwarded(
      RequestHead head, RequestView view, HeadSource in, byte[] peerAddress, ByteBuf out) {
    out.writeBytes(FORWARDED_FOR);
    if (head.hasForwardedFor()) {
      for (int i = 0; i < view.fieldCount(); i++) {
        if (head.isForwardedFor(i) && view.valueLength(i) > 0) {
          in.copy(view.valueOffset(i), view.valueLength(i), out);
          out.writeByte(',');
          out.writeByte(' ');
        }
      }
    }
    out.writeBytes(peerAddress);
    out.writeBytes(CRLF);
    if (head.adds(KnownField.X_FORWARDED_PROTO)) {
      out.writeBytes(view.peer().secure() ? FORWARDED_PROTO_SECURE : FORWARDED_PROTO);
    }
    if (head.adds(KnownField.X_FORWARDED_HOST) && view.authorityLength() > 0) {
      out.writeBytes(FORWARDED_HOST);
      in.copy(view.authorityOffset(), view.authorityLength(), out);
      out.writeBytes(CRLF);
    }
    out.writeBytes(VIA);
  }
}
