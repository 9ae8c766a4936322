package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextWriter;
import io.netty.buffer.ByteBuf;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import org.agrona.DirectBuffer;

/**
 * The key of a WebSocket's handshake over HTTP/1.1 (RFC 6455, section 4), and the answer to it.
 * HTTP/2 has neither (RFC 8441, section 5.1): the proxy makes a key for a service of HTTP/1.1, and
 * answers the key of a client of HTTP/1.1 itself.
 */
public final class WebSocketKey {
  /** The protocol, as both versions of HTTP name it. */
  private static final byte[] WEBSOCKET = TextWriter.ascii("websocket");

  private static final FieldName ACCEPT = FieldName.of("sec-websocket-accept");
  private static final FieldName UPGRADE = FieldName.of("upgrade");
  private static final byte[] GUID = TextWriter.ascii("258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  private static final int RANDOM_BYTES = 16;

  /** The length of a key in base64: 22 digits and the padding. */
  private static final int TEXT_BYTES = 24;

  private static final int DIGITS = 22;

  private final byte[] text;

  private WebSocketKey(byte[] text) {
    this.text = text;
  }

  /** A key that nobody has used. */
  public static WebSocketKey random() {
    byte[] bytes = new byte[RANDOM_BYTES];
    ThreadLocalRandom.current().nextBytes(bytes);
    return new WebSocketKey(Base64.getEncoder().encode(bytes));
  }

  /** A copy of the key at {@code offset}, which {@link #isValid}. */
  public static WebSocketKey of(DirectBuffer bytes, int offset) {
    byte[] text = new byte[TEXT_BYTES];
    bytes.getBytes(offset, text);
    return new WebSocketKey(text);
  }

  /** Whether the bytes are a key: 16 bytes in base64. */
  public static boolean isValid(DirectBuffer bytes, int offset, int length) {
    if (length != TEXT_BYTES) {
      return false;
    }
    for (int i = 0; i < TEXT_BYTES; i++) {
      byte b = bytes.getByte(offset + i);
      if (i < DIGITS ? !isDigit(b) : b != '=') {
        return false;
      }
    }
    return true;
  }

  private static boolean isDigit(byte b) {
    return b >= 'a' && b <= 'z'
        || b >= 'A' && b <= 'Z'
        || b >= '0' && b <= '9'
        || b == '+'
        || b == '/';
  }

  /** Whether the bytes name the protocol, and nothing else. */
  public static boolean isWebSocket(DirectBuffer bytes, int offset, int length) {
    return Ascii.equalsIgnoreCase(bytes, offset, length, WEBSOCKET);
  }

  public void write(ByteBuf out) {
    out.writeBytes(text);
  }

  /** The answer to the key: {@code Sec-WebSocket-Accept}. */
  public byte[] accept() {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      sha1.update(text);
      return Base64.getEncoder().encode(sha1.digest(GUID));
    } catch (NoSuchAlgorithmException missing) {
      throw new AssertionError("every JDK has SHA-1", missing);
    }
  }

  /** Whether the fields of a 101 contain the answer to this key. */
  public boolean isAnsweredBy(RequestView fields) {
    int upgrade = fields.findField(UPGRADE, 0);
    int accept = fields.findField(ACCEPT, 0);
    return upgrade >= 0
        && isWebSocket(fields.bytes(), fields.valueOffset(upgrade), fields.valueLength(upgrade))
        && accept >= 0
        && fields.findField(ACCEPT, accept + 1) < 0
        && Ascii.equals(
            fields.bytes(), fields.valueOffset(accept), fields.valueLength(accept), accept());
  }
}
