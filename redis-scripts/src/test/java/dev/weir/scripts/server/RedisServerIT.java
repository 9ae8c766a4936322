package dev.weir.scripts.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RedisServerIT {
  @ParameterizedTest
  @EnumSource
  void answersWithEachTypeOfReply(RedisKind kind) throws Exception {
    try (RedisServer server = kind.start();
        RespClient client = server.connect()) {
      assertEquals("PONG", client.call("PING"));
      assertEquals(3L, client.call("RPUSH", "list", "a", "b", "c"));
      assertNull(client.call("GET", "none"));
      final List<?> list = assertInstanceOf(List.class, client.call("LRANGE", "list", "0", "1"));
      assertEquals(List.of("a", "b"), list.stream().map(RespClient::textOf).toList());
      assertTrue(
          assertInstanceOf(RespError.class, client.call("GET", "list"))
              .message()
              .startsWith("WRONGTYPE"));
      final byte[] bytes = {0, -1, '\r', '\n', 5};
      client.call(RespClient.bytes("SET"), RespClient.bytes("raw"), bytes);
      assertTrue(Arrays.equals(bytes, (byte[]) client.call("GET", "raw")));
      assertThrows(IllegalStateException.class, () -> client.text("GET", "list"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void comesBackEmptyOnTheSamePortAfterAKill(RedisKind kind) throws Exception {
    try (RedisServer server = kind.start()) {
      final int port = server.port();
      try (RespClient client = server.connect()) {
        client.text("SET", "a", "1");
        server.kill();
        assertFalse(server.isRunning());
        assertBroken(client::read);
      }
      assertThrows(ConnectException.class, server::connect);
      server.restart();
      assertEquals(port, server.port());
      assertEquals("0", server.text("DBSIZE"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersWhatWasSentWhilePausedOnceResumed(RedisKind kind) throws Exception {
    try (RedisServer server = kind.start();
        RespClient client = server.connect()) {
      server.pause();
      client.timeoutMs(100);
      assertThrows(SocketTimeoutException.class, () -> client.call("PING"));
      client.timeoutMs(60_000);
      server.resume();
      assertEquals("PONG", client.read());
      server.pause();
    }
  }

  @ParameterizedTest
  @EnumSource
  void listensWithUsersPasswordsAndLimitsOnASocketToo(RedisKind kind) throws Exception {
    try (RedisServer server =
        RedisServer.on(kind.binary())
            .password("pass word\"\\")
            .user("reader", "on", ">secret", "~rl:*", "+get", "+auth")
            .config("maxmemory", "3mb")
            .config("maxmemory-policy", "allkeys-lru")
            .unixSocket()
            .start()) {
      try (RespClient client = RespClient.connect(server.address())) {
        assertTrue(client.call("PING").toString().contains("NOAUTH"));
        assertEquals("OK", client.call("AUTH", "reader", "secret"));
        assertNull(client.call("GET", "rl:1"));
        assertTrue(client.call("GET", "other").toString().contains("NOPERM"));
      }
      assertTrue(server.text("INFO", "memory").contains("maxmemory:3145728"));
      assertTrue(server.text("INFO", "memory").contains("maxmemory_policy:allkeys-lru"));
      try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
        channel.connect(UnixDomainSocketAddress.of(server.unixSocket()));
        channel.write(ByteBuffer.wrap(RespClient.bytes("PING\r\n")));
        final ByteBuffer reply = ByteBuffer.allocate(7);
        channel.read(reply);
        assertEquals("-NOAUTH", new String(reply.array(), StandardCharsets.UTF_8));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void speaksTlsWithACertificateOfItsOwn(RedisKind kind) throws Exception {
    final SelfSignedCertificate certificate = new SelfSignedCertificate();
    try (RedisServer server = RedisServer.on(kind.binary()).tls(certificate).start();
        RespClient client = server.connect()) {
      assertEquals("PONG", client.call("PING"));
      try (RespClient plain = RespClient.connect(server.address())) {
        assertBroken(() -> plain.call("PING"));
      }
    }
  }

  @Test
  void keepsToThePortThatWasAskedFor() throws Exception {
    try (RedisServer server = RedisKind.EMBEDDED.start()) {
      final IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () -> RedisServer.on(RedisBinary.embedded()).port(server.port()).start());
      assertTrue(e.getMessage().contains("Address already in use"), e.getMessage());
    }
  }

  @Test
  void saysWithTheLogWhyAServerDoesNotStart() {
    final IllegalStateException e =
        assertThrows(
            IllegalStateException.class,
            () -> RedisServer.on(RedisBinary.embedded()).config("no-such-thing", "1").start());
    assertTrue(e.getMessage().contains("no-such-thing"), e.getMessage());
  }

  @Test
  void leavesNoFolderBehind() throws Exception {
    final RedisServer server = RedisKind.EMBEDDED.start();
    server.close();
    assertFalse(Files.exists(server.unixSocket().getParent()));
  }

  /** Ended or reset, as the system happens to do it; but not silent. */
  private static void assertBroken(Executable read) {
    final IOException e = assertThrows(IOException.class, read);
    assertFalse(e instanceof SocketTimeoutException, e.toString());
  }
}
