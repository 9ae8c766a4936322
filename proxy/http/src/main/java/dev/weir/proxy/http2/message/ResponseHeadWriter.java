package dev.weir.proxy.http2.message;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.KnownField;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;

/**
 * Writes the head of a response, of whatever protocol, as fields of HTTP/2 (RFC 9113, section
 * 8.3.2): its status, the fields that pass, names in lower case, and its content's length. More
 * fields may be written behind. One per event loop.
 */
public final class ResponseHeadWriter {
  private static final int OK = 200;

  /** The most bytes of status, length and way. */
  private static final int FIXED_BYTES = 64;

  private final FieldEncoder encoder = new FieldEncoder();

  /** The most bytes that {@link #write} appends. */
  public static int mostBytes(IncomingResponse head) {
    return FIXED_BYTES + head.fields().fieldBytes(FieldEncoder.FIELD_OVERHEAD_BYTES);
  }

  /**
   * Appends the fields.
   *
   * @param keepRateLimit whether the service's own X-RateLimit fields stay.
   */
  public void write(IncomingResponse head, boolean keepRateLimit, ByteBuf out) {
    encoder.status(out, head.status());
    writeFields(head, keepRateLimit, out);
    if (head.contentLength() >= 0 && head.status() >= 200 && head.status() != 204) {
      encoder.field(out, FieldKind.CONTENT_LENGTH, head.contentLength());
    }
    if (head.isForwarded()) {
      out.writeBytes(FieldNotation.VIA);
    }
  }

  /** Appends the fields with which a service agrees to a WebSocket, over whatever protocol. */
  public void writeWebSocket(IncomingResponse head, ByteBuf out) {
    encoder.status(out, OK);
    writeFields(head, true, out);
    out.writeBytes(FieldNotation.VIA);
  }

  private void writeFields(IncomingResponse head, boolean keepRateLimit, ByteBuf out) {
    RequestView fields = head.fields();
    for (int i = 0; i < fields.fieldCount(); i++) {
      if (!fields.omits(i) && FieldPolicy.passesForeignResponse(known(head, i), keepRateLimit)) {
        writeField(head, i, out);
      }
    }
  }

  /** A head of HTTP/2 was decoded with the kinds of its names. */
  private static KnownField known(IncomingResponse head, int index) {
    if (head instanceof ResponseHead decoded) {
      return KnownKinds.of(decoded.kind(index));
    }
    RequestView fields = head.fields();
    return KnownField.lookUp(fields.bytes(), fields.nameOffset(index), fields.nameLength(index));
  }

  private void writeField(IncomingResponse head, int index, ByteBuf out) {
    if (head instanceof ResponseHead decoded) {
      decoded.writeField(index, encoder, out);
      return;
    }
    RequestView fields = head.fields();
    int name = fields.nameOffset(index);
    int nameLength = fields.nameLength(index);
    encoder.field(
        out,
        fields.bytes(),
        name,
        nameLength,
        fields.valueOffset(index),
        fields.valueLength(index),
        FieldKind.isSecret(fields.bytes(), name, nameLength));
  }
}
