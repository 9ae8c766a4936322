package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** The connection preface of a client (RFC 9113, section 3.4). */
public final class ClientPreface {
  public static final int BYTES = 24;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private ClientPreface() {}

  static void write(ByteBuf out) {
    out.writeBytes(PREFACE);
  }

  /**
   * Whether a connection begins with the preface.
   *
   * @param in its indices stay.
   */
  public static boolean begins(ByteBuf in) {
    return in.readableBytes() >= BYTES && mayBegin(in);
  }

  /**
   * Whether a connection may begin with the preface, by the bytes that have arrived.
   *
   * @param in its indices stay.
   */
  public static boolean mayBegin(ByteBuf in) {
    int known = Math.min(BYTES, in.readableBytes());
    for (int i = 0; i < known; i++) {
      if (in.getByte(in.readerIndex() + i) != PREFACE[i]) {
        return false;
      }
    }
    return true;
  }
}
