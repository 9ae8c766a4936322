package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.loop.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class UpstreamAddressesTest {
  private static final InetSocketAddress NAME = InetSocketAddress.createUnresolved("app.test", 80);

  private InetAddress[] answer = {};

  private InetAddress[] resolve(String host) throws UnknownHostException {
    assertEquals("app.test", host);
    if (answer.length == 0) {
      throw new UnknownHostException(host);
    }
    return answer;
  }

  private static InetAddress[] hosts(int... lastOctets) throws UnknownHostException {
    InetAddress[] hosts = new InetAddress[lastOctets.length];
    for (int i = 0; i < hosts.length; i++) {
      hosts[i] = InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) lastOctets[i]});
    }
    return hosts;
  }

  @Test
  void findsNoStartWithoutAnAddress() {
    IOException fault =
        assertThrows(
            IOException.class, () -> new UpstreamAddresses(NAME, Transport.NIO, this::resolve));
    assertEquals("upstream: app.test (expected: a host name that resolves)", fault.getMessage());
  }

  @Test
  void keepsTheLastGoodAddressesUntilThereAreOthers() throws IOException {
    answer = hosts(1, 2);
    try (UpstreamAddresses addresses = new UpstreamAddresses(NAME, Transport.NIO, this::resolve)) {
      SocketAddress[] first = addresses.current();
      assertArrayEquals(
          new SocketAddress[] {
            new InetSocketAddress("127.0.0.1", 80), new InetSocketAddress("127.0.0.2", 80)
          },
          first);
      addresses.lookUpAgain();
      assertSame(first, addresses.current(), "nothing has changed: connections stay");
      answer = hosts();
      addresses.lookUpAgain();
      assertSame(first, addresses.current());
      answer = hosts(3);
      addresses.lookUpAgain();
      assertNotSame(first, addresses.current());
      assertArrayEquals(
          new SocketAddress[] {new InetSocketAddress("127.0.0.3", 80)}, addresses.current());
    }
  }
}
