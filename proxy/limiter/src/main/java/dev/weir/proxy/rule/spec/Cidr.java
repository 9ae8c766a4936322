package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.IpAddress;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A range of addresses: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or one address. IPv4 ranges are
 * kept IPv4-mapped, so {@code ::/0} holds every address of either family.
 *
 * @param address its bits beyond the prefix are 0.
 * @param prefixLength 0 to 128, counted in the 128-bit form.
 */
public record Cidr(IpAddress address, int prefixLength) {
  private static final String EXPECTED =
      "an address or range such as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32";

  /**
   * @throws BadValueException if the text is no range, or has bits set beyond its prefix.
   */
  public static Cidr parse(String text) {
    int slash = text.indexOf('/');
    String host = slash < 0 ? text : text.substring(0, slash);
    IpText parser = new IpText();
    byte[] bytes = host.getBytes(StandardCharsets.ISO_8859_1);
    if (!parser.parseAddress(new UnsafeBuffer(bytes), 0, bytes.length)) {
      throw new BadValueException(text, EXPECTED);
    }
    IpAddress address = new IpAddress(parser.high(), parser.low());
    boolean dotted = host.indexOf(':') < 0;
    int width = dotted ? 32 : 128;
    int prefix = width;
    if (slash >= 0) {
      String digits = text.substring(slash + 1);
      if (!digits.matches("[0-9]{1,3}") || Integer.parseInt(digits) > width) {
        throw new BadValueException(text, "a prefix length of 0 to " + width);
      }
      prefix = Integer.parseInt(digits);
    }
    int length = dotted ? prefix + 96 : prefix;
    IpAddress network = address.network(length);
    if (!network.equals(address)) {
      throw new BadValueException(text, "no bits beyond the prefix: " + network + "/" + prefix);
    }
    return new Cidr(network, length);
  }

  /** Whether an address is in the range. */
  public boolean contains(IpAddress other) {
    return other.network(prefixLength).equals(address);
  }

  /** The last address of the range. */
  public IpAddress last() {
    return new IpAddress(
        address.high() | ~IpAddress.maskHigh(prefixLength),
        address.low() | ~IpAddress.maskLow(prefixLength));
  }

  @Override
  public String toString() {
    return address
        + "/"
        + (address.isV4() && prefixLength >= 96 ? prefixLength - 96 : prefixLength);
  }
}
