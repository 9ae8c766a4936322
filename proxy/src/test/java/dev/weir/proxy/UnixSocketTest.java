package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
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

  /** Answers every request on one connection after the other. */
  private static ServerSocketChannel origin(Path path) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(path));
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  try (SocketChannel client = server.accept()) {
                    readHead(client);
                    write(client, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
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
      ByteBuffer response = ByteBuffer.allocate(4096);
      while (client.read(response) >= 0 && response.hasRemaining()) {
        Thread.onSpinWait();
      }
      return StandardCharsets.ISO_8859_1.decode(response.flip()).toString();
    }
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
