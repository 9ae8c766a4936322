package dev.weir.proxy.http1;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.FieldTreatment;
import dev.weir.proxy.exchange.ForwardedFields;
import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;

/**
 * Writes a response's head for the client: its status line as HTTP/1.1, every field that is not the
 * upstream connection's own as it came. Leaves the head open, so that fields can be added; {@link
 * #end} closes it.
 */
public final class ResponseHeadWriter {
  private static final byte[] VERSION = ascii("HTTP/1.1 ");
  private static final byte[] VIA = ForwardedFields.via(FieldWriter.NOTATION);
  private static final byte[] SWITCHING =
      ascii("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n");
  private static final byte[] ACCEPT = ascii("Sec-WebSocket-Accept: ");
  private static final byte[] CONTENT_LENGTH = ascii("Content-Length: ");
  private static final byte[] CHUNKED = ascii("Transfer-Encoding: chunked\r\n");
  private static final byte[] CLOSE = ascii("Connection: close\r\n");
  private static final byte[] KEEP_ALIVE = ascii("Connection: keep-alive\r\n");
  private static final byte[] UPGRADE = ascii("Connection: upgrade\r\n");

  private ResponseHeadWriter() {}

  /**
   * @param keepTransferEncoding whether the body stays in the chunked coding it came in.
   * @param keepRateLimit whether the upstream's own X-RateLimit fields stay.
   */
  public static void write(
      ResponseHead head, boolean keepTransferEncoding, boolean keepRateLimit, ByteBuf out) {
    HeadSource in = head.source();
    out.writeBytes(VERSION);
    TextWriter.writeDecimal(out, head.status());
    if (head.reasonLength() == 0) {
      out.writeByte(' ');
    } else {
      in.copy(head.reasonOffset(), head.reasonLength(), out);
    }
    out.writeByte('\r').writeByte('\n');

    RequestView fields = head.fields();
    int count = fields.fieldCount();
    int end = in.length() - 2;
    int from = count == 0 ? end : fields.nameOffset(0);
    int transferEncoding = keepTransferEncoding ? -1 : head.transferEncodingField();
    if (head.omitsAny() || transferEncoding >= 0 || !keepRateLimit) {
      for (int i = 0; i < count; i++) {
        if (fields.omits(i) || i == transferEncoding || !keepRateLimit && isRateLimit(fields, i)) {
          int lineStart = fields.nameOffset(i);
          in.copy(from, lineStart - from, out);
          from = i + 1 < count ? fields.nameOffset(i + 1) : end;
        }
      }
    }
    in.copy(from, end - from, out);
    out.writeBytes(VIA);
  }

  /**
   * Writes the head of a response from another protocol, without the framing of its body.
   *
   * @param keepRateLimit whether the service's own X-RateLimit fields stay.
   */
  public static void writeForeign(IncomingResponse head, boolean keepRateLimit, ByteBuf out) {
    out.writeBytes(VERSION);
    TextWriter.writeDecimal(out, head.status());
    out.writeByte(' ').writeBytes(ReasonPhrase.of(head.status())).writeByte('\r').writeByte('\n');
    writeForeignFields(head, keepRateLimit, out);
  }

  /**
   * Writes the head with which a service of another protocol agrees to a WebSocket.
   *
   * @param accept what the client's key is answered with.
   */
  public static void writeForeignWebSocket(IncomingResponse head, byte[] accept, ByteBuf out) {
    out.writeBytes(SWITCHING);
    writeForeignFields(head, true, out);
    out.writeBytes(ACCEPT);
    out.writeBytes(accept);
    out.writeByte('\r').writeByte('\n');
  }

  private static void writeForeignFields(
      IncomingResponse head, boolean keepRateLimit, ByteBuf out) {
    RequestView fields = head.fields();
    for (int i = 0; i < fields.fieldCount(); i++) {
      KnownField known =
          KnownField.lookUp(fields.bytes(), fields.nameOffset(i), fields.nameLength(i));
      if (!fields.omits(i) && FieldPolicy.passesForeignResponse(known, keepRateLimit)) {
        FieldWriter.write(fields, i, out);
      }
    }
    if (head.isForwarded()) {
      out.writeBytes(VIA);
    }
  }

  /** The most bytes that {@link #writeForeign} appends. */
  public static int mostForeignBytes(IncomingResponse head) {
    return VERSION.length
        + 6
        + ReasonPhrase.MAX_BYTES
        + VIA.length
        + head.fields().fieldBytes(FieldWriter.ADDED_BYTES);
  }

  /** Adds Content-Length. */
  public static void addContentLength(long bytes, ByteBuf out) {
    out.writeBytes(CONTENT_LENGTH);
    TextWriter.writeDecimal(out, bytes);
    out.writeByte('\r').writeByte('\n');
  }

  private static boolean isRateLimit(RequestView fields, int index) {
    KnownField known =
        KnownField.lookUp(fields.bytes(), fields.nameOffset(index), fields.nameLength(index));
    return known != null && known.inResponse() == FieldTreatment.STRICTEST;
  }

  /** Adds {@code Transfer-Encoding: chunked}, for a body without framing of its own. */
  public static void addChunked(ByteBuf out) {
    out.writeBytes(CHUNKED);
  }

  public static void addClose(ByteBuf out) {
    out.writeBytes(CLOSE);
  }

  public static void addKeepAlive(ByteBuf out) {
    out.writeBytes(KEEP_ALIVE);
  }

  public static void addUpgrade(ByteBuf out) {
    out.writeBytes(UPGRADE);
  }

  public static void end(ByteBuf out) {
    out.writeByte('\r').writeByte('\n');
  }
}
