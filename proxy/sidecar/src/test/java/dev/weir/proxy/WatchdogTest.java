package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.wiring.Watchdog;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WatchdogTest {
  private static final String STUCK = ": has not turned for 3 s, it is at WatchdogTest.here:7; ";
  private static final StackTraceElement[] HERE = {
    new StackTraceElement("dev.weir.proxy.WatchdogTest", "here", "WatchdogTest.java", 7)
  };

  private final AtomicLong first = new AtomicLong();
  private final AtomicLong second = new AtomicLong();
  private final AtomicLong counter = new AtomicLong(5);

  @Test
  void tellsOnceOfALoopThatDoesNotTurnAndIsNotAliveUntilItDoes() {
    try (LogLines log = new LogLines();
        Watchdog watchdog = new Watchdog()) {
      watchdog.watch("loop-a", first::get, () -> HERE);
      watchdog.watch("loop-b", second::get, () -> HERE);
      for (int look = 1; look < Watchdog.STUCK_LOOKS; look++) {
        second.incrementAndGet();
        watchdog.look();
        assertNull(watchdog.fault());
      }
      for (int look = 0; look < 3; look++) {
        second.incrementAndGet();
        watchdog.look();
        assertEquals(
            "event loop loop-a: has not turned for 3 s or more", watchdog.fault(), "look " + look);
        assertEquals(1, watchdog.stuckCount());
      }
      assertEquals(
          List.of("WARN event loop loop-a" + STUCK + "its clients wait, and /livez is 503"),
          log.with("event loop"));
      first.incrementAndGet();
      watchdog.look();
      assertNull(watchdog.fault());
      assertEquals(0, watchdog.stuckCount());
    }
  }

  @Test
  void aLoopThatTurnsNowAndThenIsNotStuck() {
    try (Watchdog watchdog = new Watchdog()) {
      watchdog.watch("loop-a", first::get, () -> HERE);
      for (int look = 1; look < 5 * Watchdog.STUCK_LOOKS; look++) {
        if (look % (Watchdog.STUCK_LOOKS - 1) == 0) {
          first.incrementAndGet();
        }
        watchdog.look();
        assertNull(watchdog.fault());
      }
    }
  }

  @Test
  void tellsOnceOfACounterThatGrows() {
    try (LogLines log = new LogLines();
        Watchdog watchdog = new Watchdog()) {
      watchdog.watch("a table of a test", "full", "make it larger", counter::get);
      watchdog.look();
      assertEquals(List.of(), log.with("a table of a test"));
      for (int look = 0; look < 10; look++) {
        counter.addAndGet(100);
        watchdog.look();
      }
      assertEquals(
          List.of("WARN a table of a test: full; make it larger"), log.with("a table of a test"));
    }
  }

  /** Standard error whose reader has stopped: whoever writes a line of that text waits. */
  private static PrintStream stuckAt(String text, CountDownLatch reader, PrintStream before) {
    return new PrintStream(
        new OutputStream() {
          @Override
          public void write(int b) {
            before.write(b);
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            if (new String(bytes, offset, length, StandardCharsets.UTF_8).contains(text)) {
              try {
                reader.await();
              } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
              }
            }
            before.write(bytes, offset, length);
          }
        },
        true,
        StandardCharsets.UTF_8) {
      @Override
      public void write(byte[] bytes, int offset, int length) {
        try {
          out.write(bytes, offset, length); // without the lock, which would hold up the watchdog
        } catch (java.io.IOException impossible) {
          throw new java.io.UncheckedIOException(impossible);
        }
      }

      @Override
      public void flush() {
        // Nothing is kept.
      }
    };
  }

  @Test
  void aSidecarWithALoopThatIsStuckIsNotAliveAndSaysSo() throws Exception {
    CountDownLatch reader = new CountDownLatch(1);
    PrintStream before = System.err;
    try (LogLines log = new LogLines();
        Rig rig = new Rig("nio", "--upstream", "http://127.0.0.1:1", "--admin", "127.0.0.1:0");
        RawClient client = rig.connect()) {
      System.setErr(stuckAt("upstream 127.0.0.1:1: ", reader, System.err));
      InetSocketAddress admin = (InetSocketAddress) rig.sidecar.adminAddress();
      HttpRequest alive =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + admin.getPort() + "/livez"))
              .build();
      HttpClient prober = HttpClient.newHttpClient();
      assertEquals(200, prober.send(alive, BodyHandlers.ofString()).statusCode());
      client.send(Rig.VALID); // the loop waits for standard error, to say that nobody answers
      HttpResponse<String> answer = prober.send(alive, BodyHandlers.ofString());
      while (answer.statusCode() == 200) {
        TimeUnit.MILLISECONDS.sleep(50);
        answer = prober.send(alive, BodyHandlers.ofString());
      }
      assertEquals(503, answer.statusCode());
      assertTrue(answer.body().startsWith("event loop weir-loop-"), answer.body());
      assertEquals(1, rig.metric("weir_loops_stuck"));
      StoreRig.await("told", () -> log.with("event loop", "has not turned for 3 s").size() == 1);
      reader.countDown();
      assertEquals(502, client.read().status());
      StoreRig.await(
          "alive", () -> prober.send(alive, BodyHandlers.ofString()).statusCode() == 200);
      StoreRig.await("told", () -> log.with("event loop", "turns again").size() == 1);
    } finally {
      reader.countDown();
      System.setErr(before);
    }
  }
}
