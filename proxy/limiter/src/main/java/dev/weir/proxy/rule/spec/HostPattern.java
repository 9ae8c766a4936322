package dev.weir.proxy.rule.spec;

import java.net.IDN;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The hosts of a rule: one host, or with {@code *.example.com} every host below one, at any depth.
 * Hosts are compared without port and dot at the end and whatever the case of their letters,
 * addresses of IPv6 by their number. Names beyond ASCII are written as their A-labels (RFC 5890).
 */
public final class HostPattern {
  private static final String LABEL = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?";
  private static final Pattern NAME = Pattern.compile(LABEL + "(\\." + LABEL + ")*");
  private static final Pattern WITH_PORT = Pattern.compile("([^:]*|\\[.*]):[0-9]+");
  private static final int MAX_LENGTH = 253;
  private static final String EXPECTED = "a host such as api.example.com, *.example.com or [::1]";

  private final String text;
  private final boolean isSuffix;
  private final byte[] name;

  private HostPattern(String text, boolean isSuffix, byte[] name) {
    this.text = text;
    this.isSuffix = isSuffix;
    this.name = name;
  }

  /**
   * Parses a pattern.
   *
   * @throws BadValueException if the text is no pattern.
   */
  public static HostPattern parse(String text) {
    String lowerCase = text.toLowerCase(Locale.ROOT);
    if (lowerCase.startsWith("[") && lowerCase.endsWith("]")) {
      return new HostPattern(lowerCase, false, addressName(text));
    }
    if (WITH_PORT.matcher(lowerCase).matches()) {
      throw new BadValueException(text, "a host without a port: every port of it is meant");
    }
    boolean isSuffix = lowerCase.startsWith("*.");
    String host = isSuffix ? lowerCase.substring(2) : lowerCase;
    if (host.endsWith(".")) {
      host = host.substring(0, host.length() - 1);
    }
    if (!NAME.matcher(host).matches() || host.length() > MAX_LENGTH) {
      throw new BadValueException(text, expected(host));
    }
    byte[] name = host.getBytes(StandardCharsets.US_ASCII);
    return new HostPattern(isSuffix ? "*." + host : host, isSuffix, name);
  }

  private static String expected(String host) {
    if (host.chars().anyMatch(c -> c > 0x7F)) {
      try {
        return "its A-labels, as clients send them: " + IDN.toASCII(host);
      } catch (IllegalArgumentException noName) {
        return EXPECTED;
      }
    }
    return EXPECTED;
  }

  private static byte[] addressName(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    IpText address = new IpText();
    if (!address.parseV6(new UnsafeBuffer(bytes), 1, bytes.length - 1)) {
      throw new BadValueException(text, "an address of IPv6 in brackets, such as [2001:db8::1]");
    }
    return ByteBuffer.allocate(HostName.ADDRESS_BYTES)
        .put((byte) '[')
        .putLong(address.high())
        .putLong(address.low())
        .array();
  }

  /** Whether the hosts below {@link #name} are meant, and not that host. */
  public boolean isSuffix() {
    return isSuffix;
  }

  /** The host as {@link HostName} has it: in lower case, or an address. Not to be changed. */
  public byte[] name() {
    return name;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HostPattern that
        && isSuffix == that.isSuffix
        && Arrays.equals(name, that.name);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(name);
  }

  /** The pattern in lower case, without a dot at the end. */
  @Override
  public String toString() {
    return text;
  }
}
