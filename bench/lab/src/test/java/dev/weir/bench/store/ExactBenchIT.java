package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.store.ExactBench.Figures;
import dev.weir.scripts.server.RedisBinary;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Every row once, for a moment: that it measures what it says, not how fast it is. */
class ExactBenchIT {
  @Test
  void everyRowDecides() throws Exception {
    final Path binary = RedisBinary.installed().orElseGet(RedisBinary::embedded);
    try (RedisServer server = new RedisServer(binary, Cores.UNPINNED);
        ExactBench bench = new ExactBench(server, TimeUnit.SECONDS.toNanos(30))) {
      final RoundTable<String, Figures> table =
          bench.run(new Rounds(1, 0.1, 0, Cores.UNPINNED, step -> {}), 1000);
      assertEquals(5, table.names("").size());
      for (String name : table.names("")) {
        assertTrue(table.spread("", name, Figures::perSecond).least() > 0, name);
        assertTrue(table.spread("", name, Figures::batch).least() >= 1, name);
      }
    }
  }
}
