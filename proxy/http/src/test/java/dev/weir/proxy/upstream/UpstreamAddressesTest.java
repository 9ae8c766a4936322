package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.RefusalReason;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;
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
  void triesNoMoreThanEightAddresses() throws IOException {
    answer = hosts(1, 2, 3, 4, 5, 6, 7, 8, 9);
    try (UpstreamAddresses addresses = new UpstreamAddresses(NAME, Transport.NIO, this::resolve)) {
      assertEquals(8, addresses.current().length);
    }
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
      try (LogLines log = new LogLines()) {
        addresses.lookUpAgain();
        addresses.lookUpAgain();
        assertEquals(
            List.of(
                "WARN upstream app.test:80: its name does not resolve; looked for at 127.0.0.1,"
                    + " 127.0.0.2; its last addresses stay"),
            log.with("app.test"));
      }
      assertSame(first, addresses.current());
      assertEquals(
          RefusalReason.UPSTREAM_NAME_UNRESOLVED,
          UpstreamConnector.why(new ConnectException("Connection refused"), addresses.resolves()));
      answer = hosts(3);
      addresses.lookUpAgain();
      assertNotSame(first, addresses.current());
      assertArrayEquals(
          new SocketAddress[] {new InetSocketAddress("127.0.0.3", 80)}, addresses.current());
      assertEquals(
          RefusalReason.UPSTREAM_CONNECTION_REFUSED,
          UpstreamConnector.why(new ConnectException("Connection refused"), addresses.resolves()));
      assertEquals(
          RefusalReason.UPSTREAM_CONNECT_TIMEOUT,
          UpstreamConnector.why(new ConnectTimeoutException(), addresses.resolves()));
      assertEquals(
          RefusalReason.UPSTREAM_UNREACHABLE,
          UpstreamConnector.why(new NoRouteToHostException("No route"), addresses.resolves()));
    }
  }
}
