package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.request.IpAddress;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a PROXY header, version 1 or 2 (HAProxy's {@code proxy-protocol.txt}). Ignores what follows
 * the addresses in version 2.
 */
public final class ProxyHeader {
  /** The bytes may be the beginning of a header, and more must arrive. */
  public static final int INCOMPLETE = 0;

  /** The bytes are not the beginning of a header. */
  public static final int MISSING = -1;

  /** The bytes begin like a header, and are malformed. */
  public static final int MALFORMED = -2;

  /** The bound on a header of version 2; real ones have some hundred bytes. */
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
   * Reads the header at the start of {@code in}, and consumes nothing.
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

  /** The client's address; null if the header names none, as the proxy itself is the client. */
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

  /** An IPv6 address; null if the text is not one. */
  private static IpAddress literalV6(String text) {
    return text.indexOf(':') < 0 ? null : literal('[' + text + ']');
  }

  /** An address; null if the text is not one. The text never makes a DNS query. */
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

  /** Whether the number is not assigned to a family and transport. */
  private static boolean isUnknown(int family) {
    return family >>> 4 > 3 || (family & 0xF) > 2;
  }
}
