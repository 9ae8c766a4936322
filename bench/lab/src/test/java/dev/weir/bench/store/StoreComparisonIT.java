package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.store.StoreComparison.Figures;
import dev.weir.bench.store.StoreComparison.Row;
import dev.weir.scripts.server.RedisBinary;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Every row once, for a moment: that it measures what it says, not how fast it is. */
class StoreComparisonIT {
  @Test
  void everyRowDecides() throws Exception {
    final Path binary = RedisBinary.installed().orElseGet(RedisBinary::embedded);
    try (RedisServer server = new RedisServer(binary, Cores.UNPINNED)) {
      final Map<Row, List<Figures>> rows =
          StoreComparison.run(server, List.of(100), 1, Settings.MIN_SECONDS, 0, step -> {});
      assertEquals(6, rows.size());
      rows.forEach(
          (row, rounds) -> {
            assertEquals(1, rounds.size());
            assertTrue(rounds.get(0).perSecond() > 0, row.toString());
            assertEquals(0, rounds.get(0).undecided(), row.toString());
          });
      assertEquals("Weir, exact", rows.keySet().iterator().next().label());
    }
  }
}
