package dev.weir.proxy.grpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/** The value of {@code grpc-message}. */
public final class GrpcMessage {
  private static final byte[] HEX_DIGITS = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

  private GrpcMessage() {}

  /** A message as it stands in a field: printable ASCII but {@code %} stands for itself. */
  public static String percentEncoded(String message) {
    byte[] utf8 = message.getBytes(StandardCharsets.UTF_8);
    ByteBuf encoded = Unpooled.buffer(message.length());
    percentEncode(utf8, utf8.length, encoded);
    return encoded.toString(StandardCharsets.US_ASCII);
  }

  /**
   * Appends a message as it stands in a field.
   *
   * @param utf8 has it in its first bytes.
   */
  public static void percentEncode(byte[] utf8, int length, ByteBuf out) {
    for (int i = 0; i < length; i++) {
      byte b = utf8[i];
      if (b >= ' ' && b <= '~' && b != '%') {
        out.writeByte(b);
      } else {
        out.writeByte('%').writeByte(HEX_DIGITS[b >>> 4 & 0xF]).writeByte(HEX_DIGITS[b & 0xF]);
      }
    }
  }
}
