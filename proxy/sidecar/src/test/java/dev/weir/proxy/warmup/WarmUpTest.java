package dev.weir.proxy.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.traffic.Traffic;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A warm-up of something that answers HTTP/1.1, but is no sidecar. */
class WarmUpTest {
  private static final String REFUSAL =
      "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n";
  private static final String ERROR = "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n";

  private final AtomicInteger takenDown = new AtomicInteger();

  @Test
  void endsWhenTheFirstClientIsThere() throws Exception {
    try (ServerSocket sidecar = answering(REFUSAL);
        Traffic traffic = new Traffic(false)) {
      int begun;
      try (WarmUp warmUp = warmUp(traffic, sidecar)) {
        assertTrue(warmUp.begin());
        begun = traffic.answeredCount();
        CountDownLatch asked = new CountDownLatch(1);
        warmUp.goOn(
            () -> {
              asked.countDown();
              return true;
            });
        assertTrue(asked.await(10, TimeUnit.SECONDS));
      }
      assertTrue(begun > 0);
      assertEquals(begun, traffic.answeredCount());
    }
    assertEquals(1, takenDown.get());
  }

  @Test
  void endsAtOnceWhenItIsClosed() throws Exception {
    try (ServerSocket sidecar = answering(REFUSAL);
        Traffic traffic = new Traffic(false)) {
      WarmUp warmUp = warmUp(traffic, sidecar);
      assertTrue(warmUp.begin());
      warmUp.goOn(() -> false);
      warmUp.close();
      assertEquals(1, takenDown.get());
      warmUp.close();
      assertEquals(1, takenDown.get());
    }
  }

  @Test
  void saysOnceWhyItCouldNotBeDone() throws Exception {
    try (LogLines log = new LogLines();
        ServerSocket sidecar = answering(ERROR);
        Traffic traffic = new Traffic(false)) {
      WarmUp warmUp = warmUp(traffic, sidecar);
      assertFalse(warmUp.begin());
      warmUp.close();
      assertEquals(1, takenDown.get());
      assertEquals(1, log.with("not warmed up", "http/1.1 500 oops").size(), log::toString);
    }
  }

  /** Any program of this machine may connect to the service. */
  @Test
  void endsQuietlyThoughItIsSentWhatItCannotRead() throws Exception {
    try (LogLines log = new LogLines();
        ServerSocket sidecar = answering("");
        Traffic traffic = new Traffic(false);
        SocketChannel stranger = SocketChannel.open(traffic.service())) {
      stranger.write(StandardCharsets.US_ASCII.encode("GET /\r\ncontent-length: x\r\n\r\n"));
      assertFalse(warmUp(traffic, sidecar).begin());
      assertEquals(1, takenDown.get());
      assertEquals(1, log.with("not warmed up").size(), log::toString);
    }
  }

  @Test
  void opensThoughNothingIsAnswered() throws Exception {
    try (ServerSocket sidecar = answering("");
        Traffic traffic = new Traffic(false);
        WarmUp warmUp = warmUp(traffic, sidecar)) {
      assertTrue(warmUp.begin());
      assertEquals(0, traffic.answeredCount());
    }
  }

  @Test
  void keepsNothingOfWhatItTookDown() throws Exception {
    try (ServerSocket sidecar = answering(REFUSAL)) {
      Traffic traffic = new Traffic(false);
      traffic.connectHttp1(sidecar.getLocalSocketAddress(), 1);
      Object beside = new Object();
      WeakReference<Object> takenDown = new WeakReference<>(beside);
      WarmUp warmUp = new WarmUp(traffic, beside::hashCode);
      assertTrue(warmUp.begin());
      int answered = traffic.answeredCount();
      warmUp.close();
      WeakReference<Traffic> over = new WeakReference<>(traffic);
      traffic = null;
      beside = null;
      for (int i = 0; i < 100 && (takenDown.get() != null || over.get() != null); i++) {
        System.gc();
      }
      assertNull(takenDown.get());
      assertNull(over.get());
      assertEquals(answered, warmUp.requestCount());
    }
  }

  private WarmUp warmUp(Traffic traffic, ServerSocket sidecar) throws IOException {
    traffic.connectHttp1(sidecar.getLocalSocketAddress(), 1);
    return new WarmUp(traffic, takenDown::incrementAndGet);
  }

  /** Answers each request on the connection that it takes. */
  private static ServerSocket answering(String answer) throws IOException {
    ServerSocket server = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
    Thread thread = new Thread(() -> answer(server, answer), "answering");
    thread.setDaemon(true);
    thread.start();
    return server;
  }

  private static void answer(ServerSocket server, String answer) {
    try (Socket client = server.accept()) {
      InputStream in = client.getInputStream();
      int last = 0;
      for (int next = in.read(); next >= 0; next = in.read()) {
        last = last << 8 | next;
        if (last == 0x0D0A0D0A) {
          client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
        }
      }
    } catch (IOException e) {
      return; // the warm-up is over
    }
  }
}
