package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class InternalErrorsTest {
  @Test
  void countsAllAndLogsOneLineASecond() {
    long before = InternalErrors.count();
    long startNs = System.nanoTime();
    try (LogLines log = new LogLines()) {
      for (int i = 0; i < 1_000; i++) {
        InternalErrors.caught("a test of a thousand", new IllegalStateException("bug"));
      }
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNs);
      assertEquals(1_000, InternalErrors.count() - before);
      int lines = log.with("internal error: a test of a thousand").size();
      assertTrue(lines <= seconds + 2, lines + " lines in " + seconds + " s");
    }
  }
}
