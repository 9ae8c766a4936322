package dev.weir.proxy.grpc;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RequestView;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * The kind of a gRPC call by the content type of its request: {@code application/grpc}, alone, with
 * {@code +} and a message format, or with {@code ;} and parameters, in any case; and the same for
 * gRPC-Web, whose text form is base64.
 */
public enum GrpcContentType {
  /** No call of gRPC. */
  NONE(null),
  GRPC("application/grpc"),
  WEB("application/grpc-web"),
  WEB_TEXT("application/grpc-web-text");

  private static final FieldName CONTENT_TYPE = FieldName.of("content-type");

  private final String text;
  private final byte[] lowerCase;

  GrpcContentType(String text) {
    this.text = text;
    this.lowerCase = text == null ? null : text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The kind of a request, by its first content type; {@link #NONE} if it has none. */
  public static GrpcContentType of(RequestView request) {
    int field = request.findField(CONTENT_TYPE, 0);
    return field < 0
        ? NONE
        : of(request.bytes(), request.valueOffset(field), request.valueLength(field));
  }

  /** The type that a content type names. */
  public static GrpcContentType of(DirectBuffer bytes, int offset, int length) {
    if (Ascii.equals(bytes, offset, length, GRPC.lowerCase)) {
      return GRPC; // as nearly all clients say it
    }
    if (!GRPC.begins(bytes, offset, length)) {
      return NONE;
    }
    if (GRPC.ends(bytes, offset, length)) {
      return GRPC;
    }
    if (WEB.is(bytes, offset, length)) {
      return WEB;
    }
    return WEB_TEXT.is(bytes, offset, length) ? WEB_TEXT : NONE;
  }

  private boolean is(DirectBuffer bytes, int offset, int length) {
    return begins(bytes, offset, length) && ends(bytes, offset, length);
  }

  /** Whether the content type ends here, or goes on in an allowed way. */
  private boolean ends(DirectBuffer bytes, int offset, int length) {
    int next = length == lowerCase.length ? ';' : bytes.getByte(offset + lowerCase.length);
    return next == ';' || next == '+';
  }

  private boolean begins(DirectBuffer bytes, int offset, int length) {
    return length >= lowerCase.length
        && Ascii.equalsIgnoreCase(bytes, offset, lowerCase.length, lowerCase);
  }

  /** Whether the call is gRPC-Web's, which any version of HTTP carries. */
  public boolean isWeb() {
    return this == WEB || this == WEB_TEXT;
  }

  /** The content type of an answer; null of {@link #NONE}. */
  public String contentType() {
    return text;
  }
}
