package dev.weir.proxy.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.Addresses;
import dev.weir.proxy.metrics.Metrics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WebAddressTest {
  @TempDir private Path directory;

  private static WebServer server(SocketAddress address) {
    return new WebServer(address, List.of(), null, new Metrics(), () -> true, () -> null);
  }

  @Test
  void refusesWhatOthersThanThisMachineCanReach() {
    for (String host : List.of("0.0.0.0", "::", "10.0.0.1", "192.168.1.1", "2001:db8::1")) {
      InetSocketAddress address = new InetSocketAddress(host, 9090);
      String message =
          assertThrows(IllegalArgumentException.class, () -> server(address)).getMessage();
      assertEquals(
          Addresses.text(address)
              + " (expected: a loopback address or a Unix-domain socket,"
              + " for there are no admin-tokens)",
          message);
    }
    assertEquals("0.0.0.0:9090", Addresses.text(new InetSocketAddress(9090)));
  }

  @Test
  void takesLoopbackByNumberAndByName() {
    for (String host : List.of("127.0.0.1", "127.1.2.3", "::1")) {
      server(new InetSocketAddress(host, 0)).close();
    }
    server(InetSocketAddress.createUnresolved("localhost", 0)).close();
  }

  private static String get(UnixDomainSocketAddress address) throws IOException {
    try (SocketChannel socket = SocketChannel.open(address)) {
      String request = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
      socket.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
      byte[] answer = Channels.newInputStream(socket).readAllBytes();
      return new String(answer, StandardCharsets.US_ASCII);
    }
  }

  @Test
  void listensOnAUnixDomainSocketAndRemovesItWhenClosed() throws IOException {
    Path path = directory.resolve("admin.sock");
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
    try (WebServer server = server(address)) {
      server.start();
      assertEquals(address, server.adminAddress());
      assertTrue(get(address).endsWith("\r\n\r\nok\n"));
    }
    assertFalse(Files.exists(path));
  }

  @Test
  void takesOverTheSocketOfAProcessThatWasKilled() throws IOException {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("admin.sock"));
    try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      killed.bind(address);
    }
    assertTrue(Files.exists(address.getPath()));
    try (WebServer server = server(address)) {
      server.start();
      assertTrue(get(address).endsWith("ok\n"));
    }
  }

  @Test
  void leavesTheSocketOfItsSuccessorAlone() throws IOException {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("admin.sock"));
    WebServer first = server(address);
    try (WebServer second = server(address)) {
      first.start();
      Files.delete(address.getPath());
      second.start();
      first.close();
      assertTrue(get(address).endsWith("ok\n"));
    } finally {
      first.close();
    }
    assertFalse(Files.exists(address.getPath()));
  }

  @Test
  void leavesASocketInUseAndAnOrdinaryFileAlone() throws IOException {
    UnixDomainSocketAddress used = UnixDomainSocketAddress.of(directory.resolve("used.sock"));
    try (WebServer first = server(used);
        WebServer second = server(used)) {
      first.start();
      String message = assertThrows(IOException.class, second::start).getMessage();
      assertTrue(message.startsWith("unix:" + used + ": "), message);
      assertTrue(get(used).endsWith("ok\n"));
    }
    Path file = Files.writeString(directory.resolve("file"), "kept");
    try (WebServer server = server(UnixDomainSocketAddress.of(file))) {
      assertThrows(IOException.class, server::start);
    }
    assertEquals("kept", Files.readString(file));
  }
}
