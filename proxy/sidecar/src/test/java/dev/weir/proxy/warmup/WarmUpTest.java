package dev.weir.proxy.warmup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.traffic.Traffic;
import java.io.IOException;
import java.lang.ref.WeakReference;
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
    try (RecordingOrigin sidecar = answering(REFUSAL);
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
    try (RecordingOrigin sidecar = answering(REFUSAL);
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
        RecordingOrigin sidecar = answering(ERROR);
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
        RecordingOrigin sidecar = answering("");
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
    try (RecordingOrigin sidecar = answering("");
        Traffic traffic = new Traffic(false);
        WarmUp warmUp = warmUp(traffic, sidecar)) {
      assertTrue(warmUp.begin());
      assertEquals(0, traffic.answeredCount());
    }
  }

  @Test
  void keepsNothingOfWhatItTookDown() throws Exception {
    try (RecordingOrigin sidecar = answering(REFUSAL)) {
      Traffic traffic = new Traffic(false);
      traffic.connectHttp1(sidecar.socketAddress(), 1);
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

  private WarmUp warmUp(Traffic traffic, RecordingOrigin sidecar) throws IOException {
    traffic.connectHttp1(sidecar.socketAddress(), 1);
    return new WarmUp(traffic, takenDown::incrementAndGet);
  }

  private static RecordingOrigin answering(String answer) throws IOException {
    RecordingOrigin service = new RecordingOrigin();
    service.answer(answer);
    return service;
  }
}
