package dev.weir.scripts.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FaultProxyTest {
  /** How long to look for what must not come; that it does not is never proved by it alone. */
  private static final int SILENCE_MS = 100;

  private final AtomicInteger received = new AtomicInteger();
  private ServerSocket server;
  private FaultProxy proxy;

  /** A connection to the proxy: what is said as a line comes back as a status. */
  private static final class Line implements AutoCloseable {
    private final Socket socket;
    private final RespClient replies;

    Line(FaultProxy proxy) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
      replies = new RespClient(socket);
    }

    void say(String text) throws IOException {
      socket.getOutputStream().write((text + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    Object hear() throws IOException {
      return replies.read();
    }

    Object ask(String text) throws IOException {
      say(text);
      return hear();
    }

    void assertSilent() throws IOException {
      socket.setSoTimeout(SILENCE_MS);
      assertThrows(SocketTimeoutException.class, this::hear);
      socket.setSoTimeout(60_000);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @BeforeEach
  void start() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    FaultProxy.daemon(
            () -> {
              while (!server.isClosed()) {
                try {
                  final Socket socket = server.accept();
                  FaultProxy.daemon(() -> echo(socket), "echo").start();
                } catch (IOException e) {
                  // Closed.
                }
              }
            },
            "server")
        .start();
    proxy = new FaultProxy(server.getLocalPort());
  }

  private void echo(Socket socket) {
    try (socket;
        BufferedReader in =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))) {
      for (String line = in.readLine(); line != null && !"end".equals(line); ) {
        received.incrementAndGet();
        socket.getOutputStream().write(("+" + line + "\r\n").getBytes(StandardCharsets.US_ASCII));
        line = in.readLine();
      }
    } catch (IOException e) {
      // Its client has gone.
    }
  }

  @AfterEach
  void stop() throws IOException {
    proxy.close();
    server.close();
  }

  @Test
  void passesBothWaysAndCountsConnections() throws Exception {
    try (Line one = new Line(proxy);
        Line two = new Line(proxy)) {
      assertEquals("a", one.ask("a"));
      assertEquals("b", two.ask("b"));
      assertEquals(2, proxy.openCount());
    }
    awaitOpen(0);
    assertEquals(2, proxy.acceptedCount());
  }

  @Test
  void closesTheConnectionThatItsServerEnds() throws Exception {
    try (Line line = new Line(proxy)) {
      assertEquals("a", line.ask("a"));
      line.say("end");
      assertThrows(EOFException.class, line::hear);
      awaitOpen(0);
    }
  }

  @Test
  void closesTheConnectionWhoseServerIsAway() throws Exception {
    // Bound and not listening: nobody answers there, and no other program is given the port.
    try (Socket away = new Socket()) {
      away.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      try (FaultProxy itsProxy = new FaultProxy(away.getLocalPort());
          Line line = new Line(itsProxy)) {
        assertThrows(EOFException.class, line::hear);
      }
    }
  }

  @Test
  void delaysRepliesInOrderUntilThePassIsFree() throws Exception {
    try (Line line = new Line(proxy)) {
      assertEquals("a", line.ask("a"));
      proxy.delayReplies(50);
      for (int i = 0; i < 20; i++) {
        line.say("d" + i);
      }
      for (int i = 0; i < 20; i++) {
        assertEquals("d" + i, line.hear());
      }
      proxy.delayReplies(3_600_000);
      line.say("late");
      awaitReceived(22);
      line.assertSilent();
      proxy.pass();
      assertEquals("late", line.hear());
    }
  }

  @Test
  void losesSoManyRepliesToRequestsThatTheServerSaw() throws Exception {
    try (Line line = new Line(proxy)) {
      assertEquals("a", line.ask("a"));
      proxy.dropReplies(2);
      // One by one, as what comes together may be one chunk.
      line.say("lost");
      awaitRepliesToDrop(1);
      line.assertSilent();
      line.say("lost too");
      awaitRepliesToDrop(0);
      line.assertSilent();
      assertEquals(3, received.get());
      assertEquals("d", line.ask("d"));
    }
  }

  @Test
  void holdsEverythingInABlackholeAndLetsItOutAfterwards() throws Exception {
    try (Line line = new Line(proxy)) {
      assertEquals("a", line.ask("a"));
      proxy.blackhole();
      line.say("b");
      line.assertSilent();
      try (Line fresh = new Line(proxy)) {
        fresh.say("c");
        fresh.assertSilent();
        assertEquals(1, received.get());
        proxy.pass();
        assertEquals("b", line.hear());
        assertEquals("c", fresh.hear());
      }
    }
  }

  @Test
  void tricklesRepliesWhole() throws Exception {
    try (Line line = new Line(proxy)) {
      proxy.trickle(1, 1);
      assertEquals("one by one", line.ask("one by one"));
      proxy.trickle(1, 3_600_000);
      line.say("cut");
      line.assertSilent();
      proxy.pass();
    }
  }

  @Test
  void answersGarbageInsteadOfTheServer() throws Exception {
    try (Line line = new Line(proxy)) {
      proxy.garbage();
      line.say("a");
      assertThrows(IOException.class, line::hear);
      assertEquals(0, received.get());
    }
  }

  @Test
  void answersWhatItIsToldInsteadOfTheServerThenAsksItAgain() throws Exception {
    try (Line line = new Line(proxy)) {
      proxy.reply("-BUSY x\r\n");
      assertEquals(new RespError("BUSY x"), line.ask("a"));
      assertEquals(new RespError("BUSY x"), line.ask("a"));
      assertEquals(0, received.get());
      proxy.pass();
      assertEquals("b", line.ask("b"));
    }
  }

  @Test
  void answersWithoutAServer() throws Exception {
    server.close();
    proxy.reply("+OK\r\n");
    try (Line line = new Line(proxy)) {
      assertEquals("OK", line.ask("a"));
    }
  }

  @Test
  void resetsOpenAndNewConnectionsWhenRefusing() throws Exception {
    try (Line open = new Line(proxy)) {
      assertEquals("a", open.ask("a"));
      proxy.refuse();
      assertReset(open);
      for (int i = 0; i < 10; i++) {
        // The reset may come before the connect returns.
        try (Line fresh = new Line(proxy)) {
          assertReset(fresh);
        } catch (SocketException e) {
          assertTrue(e.getMessage().contains("reset"), e.toString());
        }
      }
      awaitOpen(0);
      assertEquals(11, proxy.acceptedCount());
      proxy.pass();
      try (Line fresh = new Line(proxy)) {
        assertEquals("b", fresh.ask("b"));
      }
    }
  }

  @Test
  void endsItsConnectionsWithItself() throws Exception {
    final List<Line> lines = new ArrayList<>();
    for (FaultSetting setting : List.<FaultSetting>of(FaultProxy::pass, FaultProxy::blackhole)) {
      final Line line = new Line(proxy);
      lines.add(line);
      assertEquals("a", line.ask("a"));
      setting.set(proxy);
    }
    proxy.close();
    for (Line line : lines) {
      assertThrows(EOFException.class, line::hear);
      line.close();
    }
    assertEquals(0, proxy.openCount());
  }

  private interface FaultSetting {
    void set(FaultProxy proxy);
  }

  private static void assertReset(Line line) {
    final SocketException e = assertThrows(SocketException.class, line::hear);
    assertTrue(e.getMessage().contains("reset"), e.toString());
  }

  private void awaitOpen(int count) {
    Await.until(
        "open " + count, () -> "open " + proxy.openCount(), () -> proxy.openCount() == count);
  }

  private void awaitRepliesToDrop(int count) {
    Await.until(
        "replies to drop " + count,
        () -> "replies to drop " + proxy.repliesToDrop(),
        () -> proxy.repliesToDrop() == count);
  }

  private void awaitReceived(int count) {
    Await.until("lines " + count, () -> "lines " + received, () -> received.get() == count);
  }
}
