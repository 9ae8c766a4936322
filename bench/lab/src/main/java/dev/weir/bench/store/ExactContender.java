package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** The sidecar's own way: gathered by its event loop, decided by its script. */
final class ExactContender implements StoreContender {
  private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(1);

  private final RedisServer server;
  private final int waiting;
  private final ExactBench bench;
  private LoopLoad load;

  /**
   * @param waiting decisions that are awaited at any time.
   */
  ExactContender(RedisServer server, int waiting) {
    this.server = server;
    this.waiting = waiting;
    bench = new ExactBench(server, DEADLINE_NS);
  }

  @Override
  public String label() {
    return StoreComparison.WEIR;
  }

  @Override
  public void prepare(int keyCount) throws IOException, InterruptedException {
    server.empty();
    load = bench.load(keyCount);
    while (load.askedCount() < keyCount) {
      load(0.1);
    }
  }

  @Override
  public Decisions load(double seconds) {
    load.run(LoopLoad.SATURATED, waiting, (long) (seconds * 1e9)).join();
    return new Decisions(
        load.decidedCount(), load.latencies(), load.refusedCount() + load.undecidedCount());
  }

  @Override
  public void close() {
    bench.close();
  }
}
