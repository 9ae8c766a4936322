package dev.weir.proxy.grpc;

import java.nio.charset.StandardCharsets;

/** The value of {@code grpc-message}. */
public final class GrpcMessage {
  private GrpcMessage() {}

  /** A message as it stands in a field: printable ASCII but {@code %} stands for itself. */
  public static String percentEncoded(String message) {
    StringBuilder encoded = new StringBuilder(message.length());
    for (byte b : message.getBytes(StandardCharsets.UTF_8)) {
      if (b >= ' ' && b <= '~' && b != '%') {
        encoded.append((char) b);
      } else {
        encoded.append(String.format("%%%02X", b));
      }
    }
    return encoded.toString();
  }
}
