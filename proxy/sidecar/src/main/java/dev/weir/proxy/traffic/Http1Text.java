package dev.weir.proxy.traffic;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The part of HTTP/1.1 that the conversations have. It is not the sidecar's own grammar, which
 * would be compiled for both of its users.
 */
final class Http1Text {
  private static final String HEAD_END = "\r\n\r\n";
  private static final String LAST_CHUNK = "\r\n0\r\n\r\n";
  private static final String LENGTH = "\r\ncontent-length: ";
  private static final String CHUNKED = "\r\ntransfer-encoding: chunked\r\n";
  private static final int INCOMPLETE = -1;

  private Http1Text() {}

  /**
   * The head of the first message in lower case, its blank line included; null if it is not whole.
   */
  static String head(ByteBuffer received) {
    String text = text(received);
    int end = text.indexOf(HEAD_END);
    return end < 0 ? null : text.substring(0, end + HEAD_END.length()).toLowerCase(Locale.ROOT);
  }

  /**
   * Takes the first message, if it is whole.
   *
   * @param head of it.
   * @return whether it is.
   */
  static boolean takeMessage(ByteBuffer received, String head) {
    int bytes = head.length() + bodyBytes(received, head);
    if (bytes < head.length() || bytes > received.remaining()) {
      return false;
    }
    received.position(received.position() + bytes);
    return true;
  }

  /** How long the body is; {@link #INCOMPLETE} if that is not known yet. */
  private static int bodyBytes(ByteBuffer received, String head) {
    int length = head.indexOf(LENGTH);
    if (length >= 0) {
      int start = length + LENGTH.length();
      return Integer.parseInt(head, start, head.indexOf('\r', start), 10);
    }
    if (!head.contains(CHUNKED)) {
      return 0;
    }
    int bodyStart = head.length();
    // The line before the last chunk's may be the head's blank one.
    int lastChunk = text(received).indexOf(LAST_CHUNK, bodyStart - 2);
    return lastChunk < 0 ? INCOMPLETE : lastChunk + LAST_CHUNK.length() - bodyStart;
  }

  /** All that has been received, a character for each byte. */
  static String text(ByteBuffer received) {
    return new String(
        received.array(), received.position(), received.remaining(), StandardCharsets.ISO_8859_1);
  }
}
