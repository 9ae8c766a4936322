package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.scripts.server.RedisBinary;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Every row once, for a moment: that it measures what it says, not how fast it is. */
class ExactBenchIT {
  @Test
  void everyRowDecides() throws Exception {
    final Path binary = RedisBinary.installed().orElseGet(RedisBinary::embedded);
    try (RedisServer server = new RedisServer(binary, Cores.UNPINNED);
        ExactBench bench = new ExactBench(server, TimeUnit.SECONDS.toNanos(30), step -> {})) {
      final Map<String, List<ExactBench.Figures>> rows = bench.run(1, 0.1, 1000);
      assertEquals(5, rows.size());
      rows.forEach(
          (label, rounds) -> {
            assertTrue(rounds.get(0).perSecond() > 0, label);
            assertTrue(rounds.get(0).batch() >= 1, label);
          });
    }
  }
}
