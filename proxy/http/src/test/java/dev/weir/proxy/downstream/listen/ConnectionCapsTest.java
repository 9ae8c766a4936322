package dev.weir.proxy.downstream.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.request.IpAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class ConnectionCapsTest {
  private static final int PER_CLIENT = 2;

  private final ConnectionCaps caps =
      new ConnectionCaps(new ClientCaps(0, 0, 0, 100, PER_CLIENT), 64);

  private static IpAddress ip(String text) throws UnknownHostException {
    return IpAddress.of(InetAddress.getByName(text));
  }

  @Test
  void countsAllAddressesOfAnIpv6NetworkAsOneClient() throws Exception {
    assertTrue(caps.enter(ip("2001:db8:0:1::1")));
    assertTrue(caps.enter(ip("2001:db8:0:1:ffff:ffff:ffff:ffff")));
    assertFalse(caps.enter(ip("2001:db8:0:1::2")));
    assertTrue(caps.enter(ip("2001:db8:0:2::1")), "another network");
    caps.leave(ip("2001:db8:0:1:ffff:ffff:ffff:ffff"));
    assertTrue(caps.enter(ip("2001:db8:0:1::2")));
    assertFalse(caps.enter(ip("2001:db8:0:1::1")));
  }

  @Test
  void countsEachIpv4AddressByItself() throws Exception {
    for (int i = 0; i < PER_CLIENT; i++) {
      assertTrue(caps.enter(ip("192.0.2.1")));
      assertTrue(caps.enter(ip("192.0.2.2")));
    }
    assertFalse(caps.enter(ip("192.0.2.1")));
    assertTrue(caps.enter(ip("192.0.2.3")));
  }

  @Test
  void capsOnlyAllThatHaveNoAddressOfTheirOwn() {
    for (int i = 0; i < 99; i++) {
      assertTrue(caps.enter(null));
    }
    assertFalse(caps.isFull());
    assertTrue(caps.enter(null));
    assertTrue(caps.isFull());
  }

  @Test
  void takesNoMoreClientsThanThereAreDescriptorsFor() {
    ClientCaps wanted = new ClientCaps(1, 2, 3, 500, PER_CLIENT);
    assertEquals(new ClientCaps(1, 2, 3, 333, PER_CLIENT), wanted.within(64 + 1_000, 3));
    assertEquals(wanted, wanted.within(64 + 1_000, 2));
    assertEquals(wanted, wanted.within(Long.MAX_VALUE, 1));
    assertEquals(1, wanted.within(10, 2).connections());
  }
}
