package dev.weir.proxy.downstream.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import dev.weir.scripts.server.Await;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The log's lines about a sidecar that has as much as it may have. */
@Timeout(60)
class CapacityToldTest extends RigTest {
  @Test
  void theLogTellsOnceThatNothingIsAcceptedAtTheCapAndOnceThatItIsAgain() throws Exception {
    try (LogLines log = new LogLines()) {
      start("nio", "--caps.connections", "2");
      try (RawClient first = rig.connect();
          RawClient second = rig.connect()) {
        assertEquals(200, first.send(Rig.VALID).read().status());
        assertEquals(200, second.send(Rig.VALID).read().status());
        assertEquals(
            List.of(
                "WARN accepting connections: paused at 2 connections; new ones wait with the"
                    + " system (caps.connections)"),
            log.with("accepting connections"));
      }
      Await.until("told", () -> log.with("accepting connections").size() > 1);
      String end = log.with("accepting connections").get(1);
      String expected = "INFO accepting connections: goes on; it happened once, for ";
      assertTrue(end.startsWith(expected), end);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "gcra, 4000, limit table, table.keys",
    "sliding-log, 100, table of limits with rings, table.ring-keys"
  })
  void theLogTellsOnceThatATableIsFull(String algorithm, int users, String table, String setting)
      throws Exception {
    try (LogLines log = new LogLines()) {
      start(
          "nio",
          "--limit",
          "1/1h",
          "--algorithm",
          algorithm,
          "--key",
          "header:x-user",
          "--table.keys",
          "1000",
          "--table.ring-keys",
          "4");
      try (RawClient client = rig.connect()) {
        for (int user = 0; user < users; user++) {
          client.send("GET /valid HTTP/1.1\r\nHost: a\r\nX-User: " + user + "\r\n\r\n").read();
        }
      }
      String subject = "WARN " + table + ": ";
      Await.until("told", () -> !log.with(subject).isEmpty());
      for (String line : log.with(subject)) {
        assertTrue(line.matches(subject + "full: keys .*; " + setting + " may be more"), line);
      }
      assertTrue(log.with(subject).size() <= 2, log.toString());
    }
  }
}
