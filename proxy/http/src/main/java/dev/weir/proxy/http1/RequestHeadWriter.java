package dev.weir.proxy.http1;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.exchange.ForwardedFields;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.WebSocketKey;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Writes the head for the service: the request line in origin form and HTTP/1.1, every field that
 * is not about the client's connection, unchanged, and the fields that Weir adds. One per event
 * loop.
 */
public final class RequestHeadWriter {
  private static final byte[] VERSION = ascii(" HTTP/1.1\r\n");
  private static final byte[] CRLF = ascii("\r\n");
  private static final byte[] HOST = ascii("Host: ");
  private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
  private static final byte[] UPGRADE = ascii("Connection: upgrade\r\n");

  /** The most bytes that are added to a head, beyond the client's own host and address list. */
  private static final int ADDED_BYTES = 512;

  private final byte[] upstreamAuthority;
  private final ForwardedFields forwarded = new ForwardedFields(FieldWriter.NOTATION);
  private final ForeignHeadWriter foreign = new ForeignHeadWriter(forwarded);

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
    RequestView view = head.view();
    HeadSource in = head.source();
    ByteBuf out =
        allocator.directBuffer(
            2 * in.length() + upstreamAuthority.length + view.peer().text().length + ADDED_BYTES);
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
    forwarded.write(out, view, head.policy());
    return out.writeBytes(CRLF);
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
        if (view.omits(i) || i == lengthField || replacesHost && head.isHost(i)) {
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
}
