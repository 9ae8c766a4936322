package dev.weir.proxy.cli.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AdminPortTest {
  private static String fault(AdminPort port) {
    return assertThrows(IOException.class, () -> port.get("/x", new AdminPort.Parameters()))
        .getMessage();
  }

  @Test
  void namesAHostThatDoesNotResolve() {
    InetSocketAddress nobody = InetSocketAddress.createUnresolved("nosuch.invalid", 9090);
    assertEquals(
        "nosuch.invalid:9090: the host name does not resolve", fault(new AdminPort(nobody)));
  }

  @Test
  void givesUpOnAPortThatAcceptsAndNeverAnswers() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", silent.getLocalPort());
      assertEquals(
          "127.0.0.1:" + silent.getLocalPort() + ": no whole answer within 0.02 s",
          fault(new AdminPort(address, Duration.ofMillis(20), null)));
    }
  }
}
