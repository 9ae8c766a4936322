package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.store.StoreComparison.Figures;
import dev.weir.scripts.server.RedisBinary;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every row once, for a moment: that it measures what it says, not how fast it is. */
class StoreComparisonIT {
  private static final int KEYS = 100;

  @Test
  void everyRowDecides() throws Exception {
    final Path binary = RedisBinary.installed().orElseGet(RedisBinary::embedded);
    try (RedisServer server = new RedisServer(binary, Cores.UNPINNED)) {
      final RoundTable<Integer, Figures> table =
          StoreComparison.run(
              server, List.of(KEYS), new Rounds(1, 0.05, 0, Cores.UNPINNED, step -> {}));
      final List<String> names = table.names(KEYS);
      assertEquals(6, names.size());
      for (String name : names) {
        assertEquals(1, table.rounds(KEYS, name, Figures::perSecond).length, name);
        assertTrue(table.spread(KEYS, name, Figures::perSecond).least() > 0, name);
        assertEquals("0", table.sum(KEYS, name, Figures::undecided), name);
      }
      assertEquals("Weir, exact", names.get(0));
    }
  }
}
