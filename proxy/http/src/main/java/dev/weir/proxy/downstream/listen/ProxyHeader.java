package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.request.IpAddress;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the header with which a proxy introduces a connection: versions 1 and 2 of the PROXY
 * protocol (HAProxy's {@code proxy-protocol.txt}). Everything that may follow the addresses in
 * version 2 is left out.
 */
public final class ProxyHeader {
  /** The header does not end yet; what is there may be the beginning of one. */
  public static final int INCOMPLETE = 0;

  /** The bytes begin no header. */
  public static final int MISSING = -1;

  /** A header begins there, and does not go on as one. */
  public static final int MALFORMED = -2;

  /** The longest header of version 2; what proxies add behind the addresses is some hundred. */
  public static final int MAX_BYTES = 4096;

  private static final byte[] VERSION_1 = {'P', 'R', 'O', 'X', 'Y', ' '};
  private static final byte[] VERSION_2 = {
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A
  };

  /** The longest line of version 1, its end included. */
  private static final int LINE_BYTES = 107;

  private static final int FIXED_BYTES = 16;
  private static final int LOCAL = 0x20;
  private static final int PROXY = 0x21;
  private static final int TCP_V4 = 0x11;
  private static final int TCP_V6 = 0x21;

  private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
  private static final String V4 = OCTET + "(?:\\." + OCTET + "){3}";
  private static final String V6 = "[0-9a-fA-F:.]{2,45}";
  private static final String PORT = "(?:0|[1-9]\\d{0,4})";
  private static final Pattern LINE =
      Pattern.compile(
          "PROXY (?:UNKNOWN(?: .*)?|TCP4 (?<v4>"
              + V4
              + ") "
              + V4
              + " (?<from4>"
              + PORT
              + ") (?<to4>"
              + PORT
              + ")"
              + "|TCP6 (?<v6>"
              + V6
              + ") (?<server>"
              + V6
              + ") (?<from6>"
              + PORT
              + ") (?<to6>"
              + PORT
              + "))");

  private IpAddress client;

  /**
   * Looks at what has come of a connection, and leaves it there.
   *
   * @return the header's length in bytes, or {@link #INCOMPLETE}, {@link #MISSING} or {@link
   *     #MALFORMED}.
   */
  public int read(ByteBuf in) {
    client = null;
    int readable = in.readableBytes();
    if (readable == 0) {
      return INCOMPLETE;
    }
    if (in.getByte(in.readerIndex()) == VERSION_1[0]) {
      return beginsWith(in, VERSION_1) ? readLine(in) : MISSING;
    }
    if (!beginsWith(in, VERSION_2)) {
      return MISSING;
    }
    return readable < FIXED_BYTES ? INCOMPLETE : readBinary(in, readable);
  }

  /** Whose connection it is; null if the header does not say, as the proxy speaks for itself. */
  public IpAddress client() {
    return client;
  }

  private static boolean beginsWith(ByteBuf in, byte[] signature) {
    int length = Math.min(in.readableBytes(), signature.length);
    for (int i = 0; i < length; i++) {
      if (in.getByte(in.readerIndex() + i) != signature[i]) {
        return false;
      }
    }
    return true;
  }

  private int readLine(ByteBuf in) {
    int limit = Math.min(in.readableBytes(), LINE_BYTES);
    int end = in.indexOf(in.readerIndex(), in.readerIndex() + limit, (byte) '\n');
    if (end < 0) {
      return limit == LINE_BYTES ? MALFORMED : INCOMPLETE;
    }
    int length = end + 1 - in.readerIndex();
    String line = in.toString(in.readerIndex(), length, StandardCharsets.ISO_8859_1);
    if (!line.endsWith("\r\n")) {
      return MALFORMED;
    }
    Matcher matcher = LINE.matcher(line.substring(0, length - 2));
    if (!matcher.matches()) {
      return MALFORMED;
    }
    boolean isV4 = matcher.group("v4") != null;
    boolean isV6 = matcher.group("v6") != null;
    if (isV4 && arePorts(matcher.group("from4"), matcher.group("to4"))) {
      client = literal(matcher.group("v4"));
    } else if (isV6
        && literalV6(matcher.group("server")) != null
        && arePorts(matcher.group("from6"), matcher.group("to6"))) {
      client = literalV6(matcher.group("v6"));
    }
    return client == null && (isV4 || isV6) ? MALFORMED : length;
  }

  private static boolean arePorts(String from, String to) {
    return Integer.parseInt(from) <= 0xFFFF && Integer.parseInt(to) <= 0xFFFF;
  }

  /** An address of IPv6; null if it is none. */
  private static IpAddress literalV6(String text) {
    return text.indexOf(':') < 0 ? null : literal('[' + text + ']');
  }

  /** An address; null if it is none. Four numbers, and what has brackets, are not looked up. */
  private static IpAddress literal(String text) {
    try {
      return IpAddress.of(InetAddress.getByName(text));
    } catch (UnknownHostException none) {
      return null;
    }
  }

  private int readBinary(ByteBuf in, int readable) {
    int start = in.readerIndex();
    int command = in.getUnsignedByte(start + 12);
    int family = in.getUnsignedByte(start + 13);
    int length = FIXED_BYTES + in.getUnsignedShort(start + 14);
    if (command != LOCAL && command != PROXY || length > MAX_BYTES) {
      return MALFORMED;
    }
    boolean isV4 = family == TCP_V4;
    boolean isV6 = family == TCP_V6;
    int least = FIXED_BYTES + (isV4 ? 12 : isV6 ? 36 : 0);
    if (command == PROXY && length < least || isUnknown(family)) {
      return MALFORMED;
    }
    if (readable < length) {
      return INCOMPLETE;
    }
    if (command == PROXY && isV4) {
      client = IpAddress.v4(in.getInt(start + FIXED_BYTES));
    } else if (command == PROXY && isV6) {
      client = new IpAddress(in.getLong(start + FIXED_BYTES), in.getLong(start + FIXED_BYTES + 8));
    }
    return length;
  }

  /** Whether it is none of the families and transports that the protocol has numbers for. */
  private static boolean isUnknown(int family) {
    return family >>> 4 > 3 || (family & 0xF) > 2;
  }
}
