package dev.weir.proxy.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.proxy.LogLines;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

class LogProviderTest {
  @Test
  void isWhatSlf4jFinds() {
    Logger logger = LoggerFactory.getLogger("dev.weir.proxy.Some");
    assertInstanceOf(LineLogger.class, logger);
    assertSame(logger, LoggerFactory.getLogger("dev.weir.proxy.Some"));
  }

  @ParameterizedTest
  @CsvSource({
    "dev.weir.proxy.wiring.Sidecar, INFO",
    "reactor.util.Loggers, INFO",
    "io.netty.util.ResourceLeakDetector, WARN",
    "io.nettyx, INFO",
    "io.lettuce.core.protocol.ConnectionWatchdog, ERROR",
    "'', INFO",
  })
  void librariesSayLess(String logger, Level least) {
    assertEquals(least, LogProvider.least(logger));
    Logger made = LoggerFactory.getLogger(logger);
    for (Level level : Level.values()) {
      assertEquals(level.toInt() >= least.toInt(), made.isEnabledForLevel(level), level.toString());
    }
  }

  @Test
  void writesALinePerEventWithItsArgumentsAndWhatWasThrown() {
    Logger logger = LoggerFactory.getLogger("dev.weir.proxy.Some");
    try (LogLines log = new LogLines()) {
      logger.debug("not this");
      logger.info("{} of {}", 1, "two");
      logger.warn("three\nlines\nü");
      logger.error("failed {}", "here", new IllegalStateException("why"));
      assertEquals(List.of("INFO 1 of two"), log.with("INFO"));
      assertEquals(List.of("WARN three\n  lines\n  ü"), log.with("WARN"));
      assertEquals(1, log.with("ERROR failed here\n", "IllegalStateException: why\n\tat ").size());
      assertEquals(List.of(), log.with("not this"));
    }
  }
}
