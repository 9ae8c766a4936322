package dev.weir.proxy.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.Rig;
import java.net.ConnectException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The end of a process, as its clients see it. */
@Timeout(120)
class DrainTest {
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void servesAllDuringTheGraceButSaysThatItIsNotReady(String transport) throws Exception {
    try (Rig rig = new Rig(transport, "--timeouts.drain-grace", "1h", "--admin", "127.0.0.1:0");
        RawClient client = rig.connect();
        RawClient operator = new RawClient(rig.sidecar.adminAddress())) {
      final String ask = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n";
      assertEquals(200, operator.send(ask).read().status());
      assertEquals(200, client.send(Rig.VALID).read().status());
      rig.origin.forget();
      FutureTask<Boolean> drained = new FutureTask<>(() -> rig.sidecar.drain(0));
      Thread thread = new Thread(drained, "drain");
      thread.start();
      rig.await("weir_ready", 0);

      assertEquals(503, operator.send(ask).read().status());
      Response served = client.send(Rig.VALID).read();
      assertEquals(200, served.status(), "a client that was there");
      assertNull(served.field("Connection"), "it stays");
      rig.origin.forget();
      rig.serve();

      thread.interrupt();
      assertFalse(drained.get());
    }
  }

  /** To a client of HTTP/1.0 the end of the connection is the end of the body. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void resetsWhatIsNotWholeWhenTheTimeIsUp(String transport) throws Exception {
    Rig rig = new Rig(transport);
    try (rig.origin;
        RawClient old = rig.connect();
        RawClient tunnel = rig.connect();
        RawClient unanswered = rig.connect();
        RawClient idle = rig.connect()) {
      assertEquals(200, idle.send(Rig.VALID).read().status());
      rig.origin.script(
          origin -> {
            origin.request();
            origin.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
            origin.awaitEnd();
          });
      old.send("GET / HTTP/1.0\r\n\r\n");
      while (!old.line().isEmpty()) {
        // The head.
      }
      assertEquals("half", old.take(4));
      rig.origin.script(
          origin -> {
            origin.request();
            origin.send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n");
            origin.awaitEnd();
          });
      tunnel.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: a\r\n\r\n");
      assertEquals(101, tunnel.read().status());
      rig.origin.script(
          origin -> {
            origin.request();
            origin.awaitEnd();
          });
      rig.origin.forget();
      unanswered.send(Rig.VALID);
      rig.origin.nextRequest();

      assertFalse(rig.sidecar.drain(0));
      assertEquals("", idle.readToEnd(), "nothing is missing");
      rig.sidecar.close();
      assertTrue(old.endsWithReset());
      assertTrue(tunnel.endsWithReset());
      assertTrue(unanswered.endsWithReset());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void acceptsNobodyAfterTheGrace(String transport) throws Exception {
    try (Rig rig = new Rig(transport, "--timeouts.drain-grace", "1ms");
        RawClient client = rig.connect()) {
      assertEquals(200, client.send(Rig.VALID).read().status());
      assertTrue(rig.sidecar.drain(60_000_000_000L));
      assertEquals("", client.readToEnd());
      assertThrows(ConnectException.class, rig::connect);
    }
  }
}
