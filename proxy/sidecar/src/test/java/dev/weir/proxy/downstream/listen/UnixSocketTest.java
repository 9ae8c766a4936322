package dev.weir.proxy.downstream.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.proxy.wiring.StartException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Unix-domain sockets on both sides, on every transport that this machine gives. */
@Timeout(120)
class UnixSocketTest {
  @TempDir Path folder;

  static Stream<TransportKind> transports() {
    return Arrays.stream(TransportKind.values())
        .filter(
            kind -> {
              try {
                Transport.of(kind);
                return true;
              } catch (IllegalStateException unavailable) {
                return false;
              }
            });
  }

  @ParameterizedTest
  @MethodSource("transports")
  void proxiesAndLimitsOverUnixSockets(TransportKind kind) throws Exception {
    Path upstream = folder.resolve("up.sock");
    Path listen = folder.resolve("weir.sock");
    try (ServerSocketChannel origin = origin(upstream);
        Sidecar sidecar = start(kind, upstream, listen)) {
      assertTrue(ask(listen).startsWith("HTTP/1.1 200 OK\r\n"));
      assertTrue(ask(listen).startsWith("HTTP/1.1 429 Too Many Requests\r\n"));
      assertTrue(origin.isOpen());
      assertEquals(UnixDomainSocketAddress.of(listen), sidecar.listenAddress());
    }
    assertFalse(Files.exists(listen), "the socket's file is left behind");
  }

  @ParameterizedTest
  @MethodSource("transports")
  void replacesTheFileThatAKilledProcessLeft(TransportKind kind) throws Exception {
    Path upstream = folder.resolve("up.sock");
    Path listen = folder.resolve("weir.sock");
    origin(listen).close(); // leaves its file
    try (ServerSocketChannel origin = origin(upstream);
        Sidecar sidecar = start(kind, upstream, listen)) {
      assertTrue(ask(listen).startsWith("HTTP/1.1 200 OK\r\n"));
      assertTrue(origin.isOpen());
      assertEquals(
          kind == TransportKind.AUTO ? sidecar.transport() : kind.toString(), sidecar.transport());
    }
  }

  /** As a rollout does: the next process starts while the one before still has clients. */
  @ParameterizedTest
  @MethodSource("transports")
  void leavesTheSocketOfItsSuccessorAlone(TransportKind kind) throws Exception {
    Path upstream = folder.resolve("up.sock");
    Path listen = folder.resolve("weir.sock");
    try (ServerSocketChannel origin = origin(upstream)) {
      Sidecar first = start(kind, upstream, listen);
      assertTrue(first.drain(0));
      try (Sidecar second = start(kind, upstream, listen)) {
        first.close();
        assertTrue(ask(listen).startsWith("HTTP/1.1 200 OK\r\n"));
        assertEquals(UnixDomainSocketAddress.of(listen), second.listenAddress());
      }
      assertTrue(origin.isOpen());
    }
    assertEquals(List.of(upstream), files(), "what is left behind");
  }

  /** Somebody removed the file by hand, and started another. */
  @ParameterizedTest
  @MethodSource("transports")
  void leavesASocketThatReplacedItsOwnAlone(TransportKind kind) throws Exception {
    Path upstream = folder.resolve("up.sock");
    Path listen = folder.resolve("weir.sock");
    try (ServerSocketChannel origin = origin(upstream)) {
      Sidecar first = start(kind, upstream, listen);
      Files.delete(listen);
      try (Sidecar second = start(kind, upstream, listen)) {
        assertTrue(first.drain(0));
        assertTrue(ask(listen).startsWith("HTTP/1.1 200 OK\r\n"));
        first.close();
        assertTrue(ask(listen).startsWith("HTTP/1.1 429 "));
        assertEquals(UnixDomainSocketAddress.of(listen), second.listenAddress());
      }
      assertTrue(origin.isOpen());
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void doesNotStartWhereAnotherListens(TransportKind kind) throws Exception {
    Path upstream = folder.resolve("up.sock");
    Path listen = folder.resolve("weir.sock");
    try (ServerSocketChannel origin = origin(upstream);
        Sidecar first = start(kind, upstream, listen)) {
      StartException taken =
          assertThrows(StartException.class, () -> start(kind, upstream, listen).close());
      assertEquals("unix:" + listen + ": Address already in use", taken.getMessage());
      assertTrue(ask(listen).startsWith("HTTP/1.1 200 OK\r\n"));
      assertTrue(origin.isOpen());
      assertEquals(UnixDomainSocketAddress.of(listen), first.listenAddress());
    }
    assertEquals(List.of(upstream), files(), "what is left behind");
  }

  @ParameterizedTest
  @MethodSource("transports")
  void answersWhoEndsTheirSideBehindTheRequest(TransportKind kind) throws Exception {
    Path upstream = folder.resolve("up.sock");
    Path listen = folder.resolve("weir.sock");
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(listen);
    assumeTrue(
        Transport.of(kind).endsSidesApart(address),
        kind + " cannot end one side of a Unix socket alone");
    try (ServerSocketChannel origin = origin(upstream);
        Sidecar sidecar = start(kind, upstream, listen);
        SocketChannel client = SocketChannel.open(address)) {
      write(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      client.shutdownOutput();
      assertTrue(readToEnd(client).endsWith("\r\n\r\nok"));
      assertTrue(origin.isOpen());
      assertEquals(address, sidecar.listenAddress());
    }
  }

  /** There is no reset to send; the system makes one of bytes that were not read. */
  @ParameterizedTest
  @MethodSource("transports")
  void resetsWhatIsNotWholeIfTheClientHasSentMore(TransportKind kind) throws Exception {
    Path upstream = folder.resolve("up.sock");
    Path listen = folder.resolve("weir.sock");
    try (ServerSocketChannel origin = origin(upstream, "HTTP/1.1 200 OK\r\n\r\nhalf", true);
        SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      try (Sidecar sidecar = start(kind, upstream, listen)) {
        client.connect(UnixDomainSocketAddress.of(listen));
        write(client, "GET / HTTP/1.0\r\n\r\n" + "x".repeat(100_000));
        String came = "";
        while (!came.endsWith("half")) {
          came += read(client);
        }
        assertFalse(sidecar.drain(0));
      }
      assertThrows(IOException.class, () -> read(client));
      assertTrue(origin.isOpen());
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private static Sidecar start(TransportKind kind, Path upstream, Path listen) throws Exception {
    return Sidecar.start(
        SettingsFlags.read(
            Map.of(
                "--upstream",
                "unix:" + upstream,
                "--listen",
                "unix:" + listen,
                "--limit",
                "1/365d",
                "--admin",
                "off",
                "--event-loops",
                "1",
                "--transport",
                kind.toString()),
            Faults.ofFlags()));
  }

  private static ServerSocketChannel origin(Path path) throws IOException {
    return origin(path, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", false);
  }

  /**
   * Answers every request on one connection after the other.
   *
   * @param waits whether it leaves it to the other side to end a connection.
   */
  private static ServerSocketChannel origin(Path path, String answer, boolean waits)
      throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path));
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  try (SocketChannel client = server.accept()) {
                    readHead(client);
                    write(client, answer);
                    if (waits) {
                      readToEnd(client);
                    }
                  }
                }
              } catch (ClosedChannelException closed) {
                // The test is over.
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    thread.setDaemon(true);
    thread.start();
    return server;
  }

  private static String ask(Path path) throws IOException {
    try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      write(client, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      return readToEnd(client);
    }
  }

  private static String readToEnd(SocketChannel client) throws IOException {
    StringBuilder came = new StringBuilder();
    for (String more = read(client); more != null; more = read(client)) {
      came.append(more);
    }
    return came.toString();
  }

  /** What has come; null at the end. */
  private static String read(SocketChannel client) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(4096);
    return client.read(bytes) < 0
        ? null
        : StandardCharsets.ISO_8859_1.decode(bytes.flip()).toString();
  }

  private static void readHead(SocketChannel client) throws IOException {
    ByteBuffer head = ByteBuffer.allocate(4096);
    String text = "";
    while (!text.endsWith("\r\n\r\n") && client.read(head) >= 0) {
      text = new String(head.array(), 0, head.position(), StandardCharsets.ISO_8859_1);
    }
  }

  private static void write(SocketChannel client, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    while (bytes.hasRemaining()) {
      client.write(bytes);
    }
  }
}
