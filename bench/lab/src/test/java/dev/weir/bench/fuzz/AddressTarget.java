package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.Cidr;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Addresses and ranges as text: what is read is what Java reads, and its own text is read as the
 * same again.
 */
final class AddressTarget implements Consumer<byte[]> {
  @Override
  public void accept(byte[] input) {
    String text = new String(input, StandardCharsets.ISO_8859_1);
    Cidr range;
    try {
      range = Cidr.parse(text);
    } catch (BadValueException refused) {
      return;
    }
    assertEquals(range, Cidr.parse(range.toString()));
    int slash = text.indexOf('/');
    try { // an address that was read is no name to be looked up
      InetAddress java = InetAddress.getByName(slash < 0 ? text : text.substring(0, slash));
      assertEquals(IpAddress.of(java), range.address());
    } catch (UnknownHostException e) {
      throw new AssertionError(text, e);
    }
  }
}
