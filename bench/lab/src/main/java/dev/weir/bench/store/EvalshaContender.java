package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.rounds.Rounds;
import java.io.IOException;

/**
 * One EVALSHA per request, of a script that knows GCRA alone: what one would write oneself. Its
 * client only counts replies, so that it costs as little as any.
 */
final class EvalshaContender implements StoreContender {
  private final String label;
  private final Shape shape;
  private final RedisServer server;
  private final StoreBench bench;
  private Variants.Variant variant;
  private ClosedLoop loop;
  private long errors;

  EvalshaContender(String label, Shape shape, RedisServer server, Rounds rounds) {
    this.label = label;
    this.shape = shape;
    this.server = server;
    bench = new StoreBench(rounds, StoreBench.KEYS);
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public void prepare(int keyCount) throws IOException {
    close();
    final CheckedLimit limit = keyCount == 1 ? CheckedLimit.GCRA_HOT : CheckedLimit.GCRA;
    variant =
        new Variants.Variant(
            label, label, shape, new CheckTraffic(Script.GCRA_ALONE, limit, keyCount, 1, 1));
    variant.traffic().begin(server);
    loop = bench.open(server, variant);
    errors = 0;
  }

  @Override
  public Decisions load(double seconds) throws IOException {
    loop.run(seconds);
    bench.verify(server, variant);
    final long failed = loop.errors() - errors;
    errors += failed;
    return new Decisions(loop.replies() - failed, loop.latencies(), failed);
  }

  @Override
  public void close() throws IOException {
    if (loop != null) {
      loop.close();
    }
  }
}
