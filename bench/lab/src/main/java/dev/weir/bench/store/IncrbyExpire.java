package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.store.CheckTraffic.Keys;
import dev.weir.bench.store.ClosedLoop.Shape;
import java.io.IOException;
import java.util.Random;

/**
 * The way of envoyproxy/ratelimit to count: INCRBY and EXPIRE for each descriptor of a call, all of
 * a call in one pipeline.
 */
public final class IncrbyExpire {
  private static final int DESCRIPTORS = 2;
  private static final int COMMANDS_PER_CALL = 2 * DESCRIPTORS;
  private static final int CALLS = 1 << 16;
  private static final int COMMAND_BYTES = 32 << 20;
  private static final int CALLS_IN_FLIGHT = 64;

  private final RedisServer server;
  private final Commands commands = new Commands(COMMAND_BYTES);

  /**
   * @param keyCount that ask, all alike; each has so many descriptors.
   */
  public IncrbyExpire(RedisServer server, int keyCount) {
    this.server = server;
    final Keys users = new Keys("shop_user_u%06d_0", keyCount);
    final Keys paths = new Keys("shop_path_/orders_user_u%06d_0", keyCount);
    final Random random = new Random(CheckTraffic.SEED);
    for (int i = 0; i < CALLS; i++) {
      put(users.any(random), "3600");
      put(paths.any(random), "60");
    }
  }

  private void put(byte[] key, String seconds) {
    commands.command(3).part("INCRBY").part(key).part("1");
    commands.command(3).part("EXPIRE").part(key).part(seconds);
  }

  /**
   * The figures of some seconds.
   *
   * @param serverUs processor time of the server's main thread per call.
   */
  public record Figures(double perSecond, double serverUs, int commands) {}

  /** Counts on 8 connections, with 64 calls under way on each. */
  public Figures run(double seconds) throws IOException {
    final Shape shape = new Shape(8, COMMANDS_PER_CALL, CALLS_IN_FLIGHT);
    try (ClosedLoop loop = new ClosedLoop(server.address(), commands, shape)) {
      final double spentUs = server.cpuUs();
      final long startNs = System.nanoTime();
      loop.run(seconds);
      final double elapsed = (System.nanoTime() - startNs) / 1e9;
      if (loop.errors() > 0) {
        throw new IOException("redis: " + loop.errors() + " error replies");
      }
      final double calls = (double) loop.replies() / COMMANDS_PER_CALL;
      return new Figures(calls / elapsed, (server.cpuUs() - spentUs) / calls, COMMANDS_PER_CALL);
    }
  }
}
