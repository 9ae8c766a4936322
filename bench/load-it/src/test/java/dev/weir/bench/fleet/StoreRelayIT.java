package dev.weir.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.bench.process.RedisServer.RedisConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StoreRelayIT {
  private ServerSocket one;
  private ServerSocket two;
  private StoreRelay relay;

  @BeforeEach
  void open() throws IOException {
    one = server("+one\r\n");
    two = server("+two\r\n");
    relay = new StoreRelay((InetSocketAddress) one.getLocalSocketAddress());
  }

  @AfterEach
  void close() throws IOException {
    relay.close();
    one.close();
    two.close();
  }

  /** Says the same to whatever it is sent. */
  private static ServerSocket server(String reply) throws IOException {
    final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    final Thread accepting =
        new Thread(
            () -> {
              while (!listener.isClosed()) {
                try {
                  final Socket client = listener.accept();
                  daemon(() -> answer(client, reply));
                } catch (IOException e) {
                  return;
                }
              }
            });
    accepting.setDaemon(true);
    accepting.start();
    return listener;
  }

  private static void daemon(Runnable task) {
    final Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
  }

  private static void answer(Socket client, String reply) {
    try (client) {
      final InputStream in = client.getInputStream();
      final byte[] bytes = new byte[4096];
      while (in.read(bytes) > 0) {
        client.getOutputStream().write(reply.getBytes());
      }
    } catch (IOException e) {
      // Reset, as it may be.
      return;
    }
  }

  private RedisConnection connect() throws IOException {
    return new RedisConnection(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), relay.port()));
  }

  private static CompletableFuture<String> asking(RedisConnection connection) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return connection.text("PING");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Test
  void leadsToItsServerAndThenToAnother() throws IOException {
    final RedisConnection before = connect();
    assertEquals("one", before.text("PING"));
    relay.moveTo((InetSocketAddress) two.getLocalSocketAddress());
    assertThrows(IOException.class, () -> before.text("PING"));
    try (RedisConnection behind = connect()) {
      assertEquals("two", behind.text("PING"));
    }
  }

  @Test
  void aReplyThatIsLostTakesItsConnectionAlongAndNoOther() throws IOException {
    final RedisConnection loser = connect();
    try (RedisConnection other = connect()) {
      relay.loseReply();
      assertThrows(IOException.class, () -> loser.text("PING"));
      assertEquals("one", other.text("PING"));
    }
  }

  @Test
  void whatIsHeldPassesWhenItIsReleased() throws Exception {
    try (RedisConnection connection = connect()) {
      assertEquals("one", connection.text("PING"));
      relay.hold();
      final CompletableFuture<String> asking = asking(connection);
      assertThrows(TimeoutException.class, () -> asking.get(100, TimeUnit.MILLISECONDS));
      relay.release();
      assertEquals("one", asking.get());
      assertEquals("one", connection.text("PING"));
    }
  }

  @Test
  void repliesComeLaterByTheDelay() throws Exception {
    try (RedisConnection connection = connect()) {
      relay.delayReplies(TimeUnit.MILLISECONDS.toNanos(100));
      final long startNs = System.nanoTime();
      assertEquals("one", connection.text("PING"));
      // Later may be later still, never sooner.
      assertEquals(true, System.nanoTime() - startNs >= TimeUnit.MILLISECONDS.toNanos(100));
      relay.delayReplies(0);
      assertEquals("one", connection.text("PING"));
    }
  }
}
