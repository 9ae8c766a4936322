package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Ascii;
import org.agrona.DirectBuffer;

/** The grammar of {@code uri-host [ ":" port ]} (RFC 9110, section 7.2), never empty. */
public final class HostSyntax {
  private static final int MAX_PORT = 65_535;

  /**
   * The unreserved and sub-delims of reg-name (RFC 3986, section 3.2.2), less the comma and the
   * percent sign: no name that resolves has them, and lists are split at the one.
   */
  private static final boolean[] NAME = new boolean[256];

  static {
    for (int c = '0'; c <= 'z'; c++) {
      NAME[c] = Character.isLetterOrDigit(c);
    }
    "-._~!$&'()*+;=".chars().forEach(c -> NAME[c] = true);
  }

  private HostSyntax() {}

  /** Whether these bytes are a host with or without a port. */
  public static boolean isValid(DirectBuffer bytes, int offset, int length) {
    int limit = offset + length;
    int i = offset;
    if (i < limit && bytes.getByte(i) == '[') {
      i = endOfIpLiteral(bytes, i, limit);
      if (i < 0) {
        return false;
      }
    } else {
      while (i < limit && NAME[bytes.getByte(i) & 0xFF]) {
        i++;
      }
      if (i == offset) {
        return false;
      }
    }
    return i == limit || bytes.getByte(i) == ':' && isPort(bytes, i + 1, limit);
  }

  /** The offset behind the closing bracket, or -1. */
  private static int endOfIpLiteral(DirectBuffer bytes, int open, int limit) {
    for (int i = open + 1; i < limit; i++) {
      byte b = bytes.getByte(i);
      if (b == ']') {
        return i - open > 2 ? i + 1 : -1; // "::" is the shortest address
      }
      if (Ascii.hexDigit(b) < 0 && b != ':' && b != '.') {
        return -1;
      }
    }
    return -1;
  }

  private static boolean isPort(DirectBuffer bytes, int from, int limit) {
    int port = 0;
    for (int i = from; i < limit; i++) {
      byte b = bytes.getByte(i);
      if (!Ascii.isDigit(b)) {
        return false;
      }
      port = port * 10 + (b - '0');
      if (port > MAX_PORT) {
        return false;
      }
    }
    return true;
  }
}
