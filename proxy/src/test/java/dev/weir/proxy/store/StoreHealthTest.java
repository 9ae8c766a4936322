package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.LogLines;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StoreHealthTest {
  private static final String SERVER = "health.example:6379";
  private static final String AWAY =
      "WARN redis " + SERVER + ": %s; each rule's on-store-failure decides for its keys";

  private final StoreHealth health = new StoreHealth(() -> this.nowNs);
  private long nowNs = 1;

  /** Attempts come several times a second: the first may have timed out, the others say why. */
  @Test
  void tellsAnotherCauseASecondLaterThoughAttemptsFailAllTheTime() {
    try (LogLines log = new LogLines()) {
      health.down(SERVER, "timed out");
      for (int attempt = 0; attempt < 20; attempt++) {
        nowNs += TimeUnit.MILLISECONDS.toNanos(100);
        health.down(SERVER, "not trusted");
      }
      assertEquals(
          List.of(AWAY.formatted("timed out"), AWAY.formatted("not trusted")), log.with(SERVER));
    }
  }

  @Test
  void tellsACauseThatComesAndGoesAtMostOnceASecond() {
    try (LogLines log = new LogLines()) {
      for (int attempt = 0; attempt < 30; attempt++) {
        health.down(SERVER, "a");
        health.down(SERVER, "b");
        nowNs += TimeUnit.MILLISECONDS.toNanos(100);
      }
      assertEquals(3, log.with(SERVER).size(), log.toString());
    }
  }

  @Test
  void tellsOnceThatAServerDecidesAgain() {
    try (LogLines log = new LogLines()) {
      health.up(SERVER);
      health.down(SERVER, "a");
      health.up(SERVER);
      health.up(SERVER);
      assertEquals(
          List.of(AWAY.formatted("a"), "INFO redis " + SERVER + ": connected, decides again"),
          log.with(SERVER));
    }
  }

  /** As long as the server likes: an error of a script holds what the script was called with. */
  @Test
  void tellsOfAServersWordsNoMoreThanTheirBeginning() {
    String error = "ERR " + "x".repeat(896);
    String shown = error.substring(0, 200) + "... (200 of 900 characters)";
    try (LogLines log = new LogLines()) {
      health.down(SERVER, error);
      health.refused(SERVER, error);
      assertEquals(
          List.of(AWAY.formatted(shown), "WARN redis " + SERVER + ": refuses to decide: " + shown),
          log.with(SERVER));
    }
  }
}
