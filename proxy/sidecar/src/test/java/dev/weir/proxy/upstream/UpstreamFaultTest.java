package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Services that cannot be connected to, hang up, or take and say nothing. */
@Timeout(120)
class UpstreamFaultTest extends RigTest {
  /** The kernel drops the handshake of whoever comes to a full backlog. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void givesUpOnAHandshakeThatIsNotAnswered(String transport) throws Exception {
    List<Socket> backlog = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      InetSocketAddress address = (InetSocketAddress) full.getLocalSocketAddress();
      assertTrue(fill(address, backlog), "the backlog does not fill");
      start(
          transport,
          "--upstream",
          "http://127.0.0.1:" + full.getLocalPort(),
          "--timeouts.connect",
          "200ms");
      try (RawClient client = rig.connect()) {
        assertEquals(504, client.send(Rig.VALID).read().status());
        assertEquals(504, client.send(Rig.VALID).read().status(), "the client may stay");
      }
      rig.await("weir_refusals_total{reason=\"upstream_connect_timeout\"}", 2);
      assertEquals(0, rig.metric("weir_upstream_connections_open"));
    } finally {
      for (Socket socket : backlog) {
        socket.close();
      }
    }
  }

  private static boolean fill(InetSocketAddress address, List<Socket> backlog) throws IOException {
    for (int i = 0; i < 20; i++) {
      Socket socket = new Socket();
      backlog.add(socket);
      try {
        socket.connect(address, 300);
      } catch (SocketTimeoutException dropped) {
        return true;
      }
    }
    return false;
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void usesNoConnectionThatTheServiceClosedMeanwhile(String transport) throws Exception {
    start(transport, "--timeouts.upstream-idle", "1h");
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send(RecordingOrigin.OK);
          origin.end();
        });
    try (RawClient client = rig.connect()) {
      for (int i = 1; i <= 5; i++) {
        assertEquals(200, client.send(Rig.VALID).read().status());
        rig.await("weir_upstream_connections_open", 0);
        assertEquals(i, rig.origin.connectionCount());
      }
    }
  }

  /** On a connection that was used before as well: nobody knows what the service has done. */
  @Test
  void sendsNoRequestTwiceWhenTheServiceHangsUp() throws Exception {
    start(Rig.preferredTransport(), "--timeouts.upstream-idle", "1h");
    rig.serve();
    rig.origin.script(
        origin -> {
          origin.request();
          origin.end();
        });
    try (RawClient client = rig.connect()) {
      assertEquals(502, client.send(Rig.VALID).read().status());
      assertEquals(1, rig.origin.connectionCount(), "it was the connection used before");
      assertTrue(rig.origin.nextRequest().startsWith("GET /valid "));
      assertEquals(502, client.send(Rig.VALID).read().status());
      assertTrue(rig.origin.nextRequest().startsWith("GET /valid "));
      assertEquals(0, rig.origin.requestCount());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void answersForAServiceThatIsConnectedToAndSaysNothing(String transport) throws Exception {
    start(transport, "--timeouts.response", "200ms");
    CountDownLatch over = new CountDownLatch(1);
    rig.origin.script(origin -> over.await());
    try (RawClient client = rig.connect()) {
      assertEquals(504, client.send(Rig.VALID).read().status());
      rig.await("weir_upstream_connections_open", 0);
    } finally {
      over.countDown();
    }
  }

  /** What the kernel's buffers and one watermark hold, and no more: then the client waits. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void readsNoMoreOfABodyThanTheServiceTakes(String transport) throws Exception {
    start(transport);
    CountDownLatch over = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.head();
          over.await();
          origin.reset();
        });
    AtomicLong sentBytes = new AtomicLong();
    String bytes = "x".repeat(1 << 16);
    try (RawClient client = rig.connect()) {
      client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n");
      Thread sender =
          new Thread(
              () -> {
                try {
                  while (true) {
                    client.send(bytes);
                    sentBytes.addAndGet(bytes.length());
                  }
                } catch (IOException closed) {
                  // The test is over.
                }
              });
      sender.setDaemon(true);
      sender.start();
      for (long before = -1; sentBytes.get() != before || before == 0; ) {
        before = sentBytes.get();
        TimeUnit.MILLISECONDS.sleep(100);
      }
      assertTrue(sentBytes.get() < 64 << 20, () -> sentBytes + " bytes were taken");
      assertEquals(1, rig.metric("weir_requests_in_flight"));
      over.countDown();
      rig.await("weir_requests_in_flight", 0);
    } finally {
      over.countDown();
    }
  }
}
