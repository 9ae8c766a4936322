package dev.weir.proxy.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class WatchdogTest {
  private static final String STUCK = ": has not turned for 3 s, it is at WatchdogTest.here:7; ";
  private static final StackTraceElement[] HERE = {
    new StackTraceElement("dev.weir.proxy.wiring.WatchdogTest", "here", "WatchdogTest.java", 7)
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
        watchdog.tell();
        assertEquals(
            "event loop loop-a: has not turned for 3 s or more", watchdog.fault(), "look " + look);
        assertEquals(1, watchdog.stuckCount());
      }
      assertEquals(
          List.of("WARN event loop loop-a" + STUCK + "its clients wait, and /livez is 503"),
          log.with("event loop"));
      first.incrementAndGet();
      watchdog.look();
      watchdog.tell();
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
      watchdog.tell();
      assertEquals(List.of(), log.with("a table of a test"));
      for (int look = 0; look < 10; look++) {
        counter.addAndGet(100);
        watchdog.tell();
      }
      assertEquals(
          List.of("WARN a table of a test: full; make it larger"), log.with("a table of a test"));
    }
  }

  /**
   * Standard error whose reader has stopped: whoever writes a line of that text waits, and behind
   * it all who write.
   */
  private static PrintStream stuckAt(String text, CountDownLatch stuck, CountDownLatch reader) {
    PrintStream before = System.err;
    return new PrintStream(
        new OutputStream() {
          @Override
          public void write(int b) {
            before.write(b);
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            if (new String(bytes, offset, length, StandardCharsets.UTF_8).contains(text)) {
              stuck.countDown();
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
        StandardCharsets.UTF_8);
  }

  /** Whether whoever tells of stuck loops waits for more than the time to look again. */
  private static boolean tellerWaits() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("weir-watchdog-log"))
        .map(Thread::getState)
        .anyMatch(state -> state == Thread.State.BLOCKED || state == Thread.State.WAITING);
  }

  private final HttpClient prober = HttpClient.newHttpClient();

  private HttpResponse<String> livez(Rig rig) throws Exception {
    URI livez = URI.create("http://127.0.0.1:" + rig.adminPort() + "/livez");
    return prober.send(HttpRequest.newBuilder(livez).build(), BodyHandlers.ofString());
  }

  @Test
  void aSidecarWithALoopThatIsStuckIsNotAliveAndSaysSo() throws Exception {
    CountDownLatch reader = new CountDownLatch(1);
    PrintStream before = System.err;
    try (LogLines log = new LogLines();
        Rig rig = new Rig("nio", "--upstream", "http://127.0.0.1:1", "--admin", "127.0.0.1:0");
        RawClient client = rig.connect()) {
      try {
        System.setErr(stuckAt("upstream 127.0.0.1:1: ", new CountDownLatch(1), reader));
        assertEquals(200, livez(rig).statusCode());
        client.send(Rig.VALID); // the loop waits for standard error, to say that nobody answers
        Await.until("not alive", () -> livez(rig).statusCode() == 503);
        String body = livez(rig).body();
        assertTrue(body.startsWith("event loop weir-loop-"), body);
        assertEquals(1, rig.metric("weir_loops_stuck"));
        Await.until("a line about it waits for the reader, too", WatchdogTest::tellerWaits);
        reader.countDown();
        assertEquals(502, client.read().status());
        Await.until("alive", () -> livez(rig).statusCode() == 200);
        Await.until("told", () -> log.with("event loop", "has not turned for 3 s").size() == 1);
        Await.until("told", () -> log.with("event loop", "turns again").size() == 1);
      } finally {
        reader.countDown(); // before the rig is closed
      }
    } finally {
      System.setErr(before);
    }
  }

  @Test
  void aLoopIsSeenToBeStuckWhileALineOfTheWatchdogItselfWaits() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch reader = new CountDownLatch(1);
    PrintStream before = System.err;
    try (LogLines log = new LogLines();
        Rig rig = new Rig("nio", "--admin", "127.0.0.1:0");
        RawClient client = rig.connect()) {
      try {
        System.setErr(stuckAt("WARN  Watchdog: upstream: ", stuck, reader));
        // A counter counts it, of which the watchdog tells.
        rig.origin.script(RecordingOrigin.Conversation::end);
        assertEquals(502, client.send(Rig.VALID).read().status());
        stuck.await();
        rig.origin.close();
        try (RawClient second = rig.connect()) {
          second.send(Rig.VALID); // refused, of which the loop tells, behind the watchdog
          Await.until(
              "not alive",
              () -> {
                try (RawClient further = rig.connect()) {
                  further.send(Rig.VALID);
                  return livez(rig).statusCode() == 503;
                }
              });
          reader.countDown();
          assertEquals(502, second.read().status());
        }
        Await.until("alive", () -> livez(rig).statusCode() == 200);
        assertEquals(
            List.of(
                "WARN upstream: The service ended the connection before its response; requests get a"
                    + " 502 upstream_closed"),
            log.with("upstream: "));
      } finally {
        reader.countDown(); // before the rig is closed
      }
    } finally {
      System.setErr(before);
    }
  }
}
