package dev.weir.bench.store;

import dev.weir.bench.process.RedisServer;
import dev.weir.bench.store.CheckTraffic.Keys;
import dev.weir.bench.store.StoreComparison.StoreContender;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.distributed.proxy.optimization.Optimizations;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * Bucket4j over Lettuce as its manual shows it: asynchronous, by compare-and-swap, with an expiry,
 * on one connection. The next question is asked where an answer arrives, on Lettuce's thread.
 */
final class Bucket4jContender implements StoreContender {
  /** A rate that never refuses, as {@link LoopLoad}'s. */
  private static final long PER_SECOND = 1_000_000_000;

  private static final Duration MOST_IDLE = Duration.ofSeconds(10);
  private static final long ANSWER_SECONDS = 60;

  private final RedisServer server;
  private final int waiting;
  private final RedisClient client;
  private final StatefulRedisConnection<byte[], byte[]> connection;
  private final AsyncProxyManager<byte[]> buckets;
  private final Supplier<CompletableFuture<BucketConfiguration>> limit;
  private final boolean batching;
  private AsyncBucketProxy[] shared;
  private Keys keys;
  private int nextKey;

  /**
   * @param waiting decisions that are awaited at any time.
   * @param batching whether questions about one bucket that wait for the same answer are asked
   *     together, for which the bucket's proxy is kept; else each question makes its own.
   */
  Bucket4jContender(RedisServer server, int waiting, boolean batching) {
    this.server = server;
    this.waiting = waiting;
    this.batching = batching;
    final InetSocketAddress address = server.address();
    client = RedisClient.create(RedisURI.create(address.getHostString(), address.getPort()));
    connection = client.connect(ByteArrayCodec.INSTANCE);
    buckets =
        Bucket4jLettuce.casBasedBuilder(connection)
            .expirationAfterWrite(
                ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(MOST_IDLE))
            .build()
            .asAsync();
    final CompletableFuture<BucketConfiguration> roomy =
        CompletableFuture.completedFuture(
            BucketConfiguration.builder()
                .addLimit(
                    each ->
                        each.capacity(PER_SECOND).refillGreedy(PER_SECOND, Duration.ofSeconds(1)))
                .build());
    limit = () -> roomy;
  }

  @Override
  public String label() {
    return "Bucket4j" + (batching ? " with batching, " : ", ") + waiting + " awaited";
  }

  @Override
  public void prepare(int keyCount) throws IOException, InterruptedException {
    server.empty();
    keys = Keys.of("bucket4j", keyCount);
    shared = new AsyncBucketProxy[batching ? keyCount : 0];
    for (int i = 0; i < shared.length; i++) {
      shared[i] = proxy(i, Optimizations.batching());
    }
    nextKey = 0;
    run(keyCount, Long.MAX_VALUE);
  }

  private AsyncBucketProxy proxy(int key, Optimization optimization) {
    return buckets.builder().withOptimization(optimization).build(keys.name(key), limit);
  }

  @Override
  public Decisions load(double seconds) throws IOException, InterruptedException {
    return run(Long.MAX_VALUE, System.nanoTime() + (long) (seconds * 1e9));
  }

  private Decisions run(long most, long untilNs) throws IOException, InterruptedException {
    final Load load = new Load(most, untilNs);
    for (int i = 0; i < waiting; i++) {
      load.ask();
    }
    final long seconds = Math.max(0, untilNs - System.nanoTime()) / 1_000_000_000;
    if (!load.done.await(Math.min(seconds, ANSWER_SECONDS) + ANSWER_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException(label() + ": no answer in " + ANSWER_SECONDS + " s");
    }
    return load.decisions();
  }

  /** One run of {@code waiting} chains of questions, on any thread. */
  private final class Load {
    private final long untilNs;
    private final CountDownLatch done = new CountDownLatch(waiting);
    private final Histogram latencies = new Histogram(TimeUnit.SECONDS.toNanos(60), 3);
    private long left;
    private long decided;
    private long undecided;

    Load(long most, long untilNs) {
      left = most;
      this.untilNs = untilNs;
    }

    // The first are asked by the caller while answers already arrive.
    private synchronized AsyncBucketProxy next(long nowNs) {
      if (left == 0 || nowNs - untilNs >= 0 && untilNs != Long.MAX_VALUE) {
        return null;
      }
      left--;
      final int key = nextKey;
      nextKey = (nextKey + 1) % keys.count();
      return batching ? shared[key] : proxy(key, Optimization.NONE_OPTIMIZED);
    }

    void ask() {
      final long startNs = System.nanoTime();
      final AsyncBucketProxy bucket = next(startNs);
      if (bucket == null) {
        done.countDown();
        return;
      }
      bucket
          .tryConsume(1)
          .whenComplete(
              (allowed, failure) -> {
                count(failure == null && allowed, System.nanoTime() - startNs);
                ask();
              });
    }

    private synchronized void count(boolean allowed, long elapsedNs) {
      if (allowed) {
        decided++;
        latencies.recordValue(Math.min(elapsedNs, latencies.getHighestTrackableValue()));
      } else {
        undecided++;
      }
    }

    synchronized Decisions decisions() {
      return new Decisions(decided, latencies, undecided);
    }
  }

  @Override
  public void close() {
    connection.close();
    client.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
