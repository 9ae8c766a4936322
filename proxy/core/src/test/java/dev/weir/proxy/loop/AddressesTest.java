package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import org.junit.jupiter.api.Test;

class AddressesTest {
  @Test
  void writesAnAddressAsSettingsHaveIt() throws Exception {
    InetAddress v6 =
        InetAddress.getByAddress(new byte[] {0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8});
    assertEquals("[1:2:3:4:5:6:7:8]:80", Addresses.text(new InetSocketAddress(v6, 80)));
    assertEquals("name:80", Addresses.text(InetSocketAddress.createUnresolved("name", 80)));
    InetAddress named = InetAddress.getByAddress("name", new byte[] {10, 0, 0, 1});
    assertEquals("name:80", Addresses.text(new InetSocketAddress(named, 80)));
    InetAddress v4 = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    assertEquals("10.0.0.1:80", Addresses.text(new InetSocketAddress(v4, 80)));
    assertEquals("unix:/run/a.sock", Addresses.text(UnixDomainSocketAddress.of("/run/a.sock")));
  }
}
