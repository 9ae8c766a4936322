package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.process.RedisServer.RedisConnection;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.store.ClosedLoop.Shape;
import dev.weir.bench.store.StoreBench.Meter;
import dev.weir.scripts.server.RedisBinary;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Everything once, for a moment: that it measures what it says, not how fast it is. */
class StoreBenchIT {
  private static final int KEYS = 1000;

  @Test
  void everyVariantDecidesWithoutErrorReplies() throws IOException {
    final RoundTable<String, Meter.Sample> results;
    try (RedisServer server =
        new RedisServer(RedisBinary.installed().orElseGet(RedisBinary::embedded), Cores.UNPINNED)) {
      final Rounds once = new Rounds(1, 0.05, 0.05, Cores.UNPINNED, step -> {});
      results = new StoreBench(once, KEYS).run(server, List.of());
    }
    final List<String> ids = new ArrayList<>();
    Variants.all(KEYS).forEach(variant -> ids.add(variant.id()));
    for (String id : ids) {
      assertEquals(1, results.rounds("", id, Meter.Sample::perSecond).length, id);
      assertTrue(results.spread("", id, Meter.Sample::decisions).least() > 0, id);
      assertEquals("0", results.sum("", id, Meter.Sample::errors), id);
    }
    final Report page = new Report("command");
    page.variants(results);
    final String report = page.markdown();
    for (String title : List.of("Calls", "Algorithms", "Holds")) {
      assertTrue(report.contains("\n## " + title), report);
    }
    assertFalse(report.contains("NaN"), report);
  }

  @Test
  void countsErrorReplies() throws IOException {
    try (RedisServer server =
        new RedisServer(RedisBinary.installed().orElseGet(RedisBinary::embedded), Cores.UNPINNED)) {
      final Commands commands = new Commands(1024);
      commands.command(3).part("EVALSHA").part("0".repeat(40)).part("0");
      try (ClosedLoop loop = new ClosedLoop(server.address(), commands, Shape.inFlight(1))) {
        final Meter meter = new Meter(server);
        loop.runOnce(0);
        assertEquals(1, loop.errors());
        // Seen by the client, and by the server.
        assertEquals(2, meter.sample(1, loop.errors()).errors());
      }
    }
  }

  @Test
  void sendsEveryCommandOnce() throws IOException {
    try (RedisServer server =
        new RedisServer(RedisBinary.installed().orElseGet(RedisBinary::embedded), Cores.UNPINNED)) {
      final Commands commands = new Commands(4096);
      for (int i = 0; i < 10; i++) {
        commands.command(2).part("INCR").part("key" + i);
      }
      sendOnce(server, commands, Shape.pipelined(3), 0);
      assertEquals("9", server.control().text("DBSIZE"));
      sendOnce(server, commands, new Shape(4, 1, 1), 9);
      assertEquals("10", server.control().text("DBSIZE"));
      for (int i = 0; i < 10; i++) {
        assertEquals("1", server.control().text("GET", "key" + i));
      }
    }
  }

  private static void sendOnce(RedisServer server, Commands commands, Shape shape, int from)
      throws IOException {
    try (ClosedLoop loop = new ClosedLoop(server.address(), commands, shape)) {
      loop.runOnce(from);
      assertEquals(0, loop.errors());
    }
  }

  @Test
  void endsTheServerThatItStarted() throws IOException {
    final RedisServer server =
        new RedisServer(RedisBinary.installed().orElseGet(RedisBinary::embedded), Cores.UNPINNED);
    server.close();
    assertThrows(ConnectException.class, () -> new RedisConnection(server.address()));
  }
}
