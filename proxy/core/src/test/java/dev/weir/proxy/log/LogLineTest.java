package dev.weir.proxy.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.event.Level;

class LogLineTest {
  private static final long TIME_MS = Instant.parse("2026-01-02T03:04:05.006Z").toEpochMilli();

  private static List<String> lines(Throwable thrown) {
    return LogLine.of(TIME_MS, Level.ERROR, "a.b.C", "text", thrown).lines().toList();
  }

  @ParameterizedTest
  @CsvSource({
    "2026-01-02T03:04:05.006Z, INFO, dev.weir.proxy.wiring.Sidecar, 2026-01-02T03:04:05.006Z INFO  Sidecar: x",
    "1970-01-01T00:00:00.000Z, ERROR, Store, 1970-01-01T00:00:00.000Z ERROR Store: x",
    "1969-12-31T23:59:59.999Z, WARN, a.b, 1969-12-31T23:59:59.999Z WARN  b: x",
    "2024-02-29T23:59:59.090Z, WARN, a.b., 2024-02-29T23:59:59.090Z WARN  : x",
  })
  void isTimeLevelLoggerAndMessage(String time, Level level, String logger, String line) {
    long timeMs = Instant.parse(time).toEpochMilli();
    assertEquals(line + "\n", LogLine.of(timeMs, level, logger, "x", null));
  }

  @Test
  void showsTwentyFramesOfWhatWasThrownAndOfItsCause() {
    Throwable cause = new IllegalStateException("inner");
    StackTraceElement[] deep = new StackTraceElement[LogLine.MAX_FRAMES + 1];
    for (int i = 0; i < deep.length; i++) {
      deep[i] = new StackTraceElement("C", "m" + i, "C.java", i);
    }
    cause.setStackTrace(deep);
    Throwable thrown = new IllegalArgumentException("outer", cause);
    thrown.setStackTrace(new StackTraceElement[] {deep[0]});
    List<String> lines = lines(thrown);
    assertEquals("java.lang.IllegalArgumentException: outer", lines.get(1));
    assertEquals("\tat C.m0(C.java:0)", lines.get(2));
    assertEquals("Caused by: java.lang.IllegalStateException: inner", lines.get(3));
    assertEquals("\tat C.m19(C.java:19)", lines.get(lines.size() - 1));
    assertEquals(4 + LogLine.MAX_FRAMES, lines.size());
  }

  @Test
  void noTextLooksLikeAnEventOfItsOwnOrSteersATerminal() {
    String forged = "\r\n2026-01-02T03:04:05.006Z ERROR Run: \u001b[2J\u009b\u007f\0\tü";
    String shown = "\\x0d\n  2026-01-02T03:04:05.006Z ERROR Run: \\x1b[2J\\x9b\\x7f\\x00\tü";
    Throwable thrown = new IllegalStateException(forged);
    thrown.setStackTrace(new StackTraceElement[0]);
    assertEquals(
        "2026-01-02T03:04:05.006Z INFO  C: a"
            + shown
            + "\njava.lang.IllegalStateException: "
            + shown
            + "\n",
        LogLine.of(TIME_MS, Level.INFO, "a.b.C", "a" + forged, thrown));
  }

  @Test
  void endsWhereCausesAreACircle() {
    Exception one = new Exception("one");
    one.initCause(new Exception("two", one));
    long causes = lines(one).stream().filter(line -> line.startsWith("Caused by: ")).count();
    assertTrue(causes < LogLine.MAX_CAUSES, "" + causes);
  }
}
