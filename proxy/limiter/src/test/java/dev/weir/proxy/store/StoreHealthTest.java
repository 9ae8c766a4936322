package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.LogLines;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoreHealthTest {
  private static final String SERVER = "health.example:6379";
  private static final String AWAY =
      "WARN redis " + SERVER + ": %s; each rule's on-store-failure decides for its keys";

  private final List<Runnable> timers = new ArrayList<>();
  private final StoreHealth health =
      new StoreHealth(() -> this.nowNs, (delayNs, task) -> timers.add(task));
  private long nowNs = 1;

  /** Attempts come several times a second: the first may have timed out, the others say why. */
  @Test
  void tellsAnotherCauseOnceThoughAttemptsFailAllTheTime() {
    try (LogLines log = new LogLines()) {
      health.down(SERVER, "timed out");
      for (int attempt = 0; attempt < 20; attempt++) {
        health.down(SERVER, "not trusted");
        health.down(SERVER, "timed out");
      }
      assertEquals(
          List.of(AWAY.formatted("timed out"), AWAY.formatted("not trusted")), log.with(SERVER));
    }
  }

  @Test
  void tellsOnceThatAServerDecidesAgain() {
    try (LogLines log = new LogLines()) {
      health.up(SERVER);
      health.down(SERVER, "a");
      health.down(SERVER, "a");
      nowNs += TimeUnit.SECONDS.toNanos(12);
      health.up(SERVER);
      health.up(SERVER);
      nowNs += TimeUnit.SECONDS.toNanos(1);
      timers.remove(0).run();
      assertEquals(
          List.of(
              AWAY.formatted("a"),
              "INFO redis " + SERVER + ": connected, decides again; it happened 2 times in 12.0 s"),
          log.with(SERVER));
    }
  }

  /** A server that is loading, or full, answers thousands of calls a second with an error. */
  @Test
  void tellsOnceOfAServerThatAnswersWithErrors() {
    try (LogLines log = new LogLines()) {
      for (int call = 0; call < 1_000; call++) {
        nowNs += TimeUnit.MILLISECONDS.toNanos(10);
        health.refused(SERVER, "OOM command not allowed");
      }
      nowNs += TimeUnit.MINUTES.toNanos(1);
      timers.remove(0).run();
      assertEquals(
          List.of(
              "WARN redis "
                  + SERVER
                  + ": OOM command not allowed; each rule's on-store-failure decides for its keys",
              "INFO redis "
                  + SERVER
                  + ": has refused nothing for a minute; it happened 1000 times in 9.9 s"),
          log.with(SERVER));
    }
  }

  /**
   * An error as long as the server likes: that of a script holds what the script was called with.
   */
  @Test
  void tellsOfAServersWordsNoMoreThanTheirBeginning() {
    String error = "ERR " + "x".repeat(896);
    String shown = error.substring(0, 200) + "... (200 of 900 characters)";
    try (LogLines log = new LogLines()) {
      health.down(SERVER, error);
      assertEquals(List.of(AWAY.formatted(shown)), log.with(SERVER));
    }
  }
}
