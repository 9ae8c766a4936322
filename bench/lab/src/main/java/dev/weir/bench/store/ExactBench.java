package dev.weir.bench.store;

import com.sun.management.ThreadMXBean;
import dev.weir.bench.origin.LocalLoop;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.Store;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreNode;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Measures the sidecar's own way to the store: one event loop against one server. */
final class ExactBench implements AutoCloseable {
  private static final int HOT = 1;
  static final int SATURATING = 1_024;
  private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(30);
  private static final double[] SHARES = {0.1, 0.5, 0.9};

  /** At a round in which something was not decided, as when the server or this machine pauses. */
  private static final int ATTEMPTS = 3;

  private final RedisServer server;
  private final LocalLoop loop;
  private final EventLoop eventLoop;
  private final LoopMeter meter;
  private final LoopClock clock = new LoopClock();
  private final Store store;
  private final LoopStore loopStore;

  /**
   * The figures of one row in one round.
   *
   * @param perSecond decisions.
   * @param serverUs processor time of the server's main thread per decision.
   * @param loopUs the same of the event loop's thread, load included.
   * @param undecided requests without a decision in time.
   */
  record Figures(
      double perSecond,
      double serverUs,
      double loopUs,
      double bytes,
      double batch,
      double p50Us,
      double p99Us,
      double p999Us,
      long undecided) {}

  ExactBench(RedisServer server, long deadlineNs) {
    this.server = server;
    loop = new LocalLoop("weir-exact", TransportKind.AUTO);
    eventLoop = loop.eventLoop();
    meter = new LoopMeter(eventLoop);
    store =
        new Store(
            new StoreSettings(
                List.of(new StoreNode(server.address(), 1)),
                Topology.STANDALONE,
                null,
                StoreLogin.NONE,
                StoreLogin.NONE,
                0,
                false,
                null,
                deadlineNs),
            loop.transport(),
            "",
            () -> "",
            (count, rank) -> {});
    final Deadlines deadlines = new Deadlines(clock);
    loopStore = store.join(eventLoop, clock, deadlines, meter);
    eventLoop.execute(() -> deadlines.start(eventLoop));
    if (!store.start(CONNECT_NS)) {
      throw new IllegalStateException("not connected to " + server.address());
    }
  }

  /** The kernel interface in use. */
  String transport() {
    return loop.transport().toString();
  }

  /** Runs all loads, interleaved, in the one cell "". */
  RoundTable<String, Figures> run(Rounds rounds, int keyCount)
      throws IOException, InterruptedException {
    final double seconds = rounds.seconds();
    final RoundTable<String, Figures> all = new RoundTable<>();
    final LoopLoad hot = load(HOT);
    final LoopLoad uniform = load(keyCount);
    measure(uniform, LoopLoad.SATURATED, seconds); // warm-up, and all keys are there
    for (int round = 1; round <= rounds.count(); round++) {
      rounds.tell("round %d of %d", round, rounds.count());
      final Figures most = measure(uniform, LoopLoad.SATURATED, seconds);
      all.add("", "as fast as it goes", most);
      all.add("", "as fast as it goes, one hot key", measure(hot, LoopLoad.SATURATED, seconds));
      for (double share : SHARES) {
        all.add(
            "",
            Math.round(share * 100) + " % of that",
            measure(uniform, share * most.perSecond(), seconds));
      }
    }
    return all;
  }

  /** A load over so many keys. */
  LoopLoad load(int keyCount) {
    return new LoopLoad(eventLoop, clock, loopStore, keyCount);
  }

  private Figures measure(LoopLoad load, double perSecond, double seconds)
      throws IOException, InterruptedException {
    Figures figures = measureOnce(load, perSecond, seconds);
    for (int i = 1; i < ATTEMPTS && figures.undecided() > 0; i++) {
      figures = measureOnce(load, perSecond, seconds);
    }
    return figures;
  }

  private Figures measureOnce(LoopLoad load, double perSecond, double seconds)
      throws IOException, InterruptedException {
    load.run(perSecond, SATURATING, (long) (seconds / 4 * 1e9)).join();
    final LoopMeter.Reading before = meter.read();
    final double serverUs = server.cpuUs();
    final long startNs = System.nanoTime();
    load.run(perSecond, perSecond == 0 ? SATURATING : LoopLoad.PLACES, (long) (seconds * 1e9))
        .join();
    final double elapsed = (System.nanoTime() - startNs) / 1e9;
    final double spentUs = server.cpuUs() - serverUs;
    final LoopMeter.Reading after = meter.read();
    final double decided = load.decided;
    final Histogram latencies = load.latencies;
    if (load.refused > 0) {
      throw new IllegalStateException(load.refused + " refused (expected: none)");
    }
    return new Figures(
        decided / elapsed,
        spentUs / decided,
        (after.cpuNs() - before.cpuNs()) / 1e3 / decided,
        (after.bytes() - before.bytes()) / decided,
        (after.requests() - before.requests()) / (double) (after.batches() - before.batches()),
        latencies.getValueAtPercentile(50) / 1e3,
        latencies.getValueAtPercentile(99) / 1e3,
        latencies.getValueAtPercentile(99.9) / 1e3,
        load.undecided);
  }

  @Override
  public void close() {
    store.close();
    loop.close();
  }

  /** Processor time of an event loop for decisions, and the batches in which they travel. */
  private static final class LoopMeter implements StoreObserver {
    private final EventLoop eventLoop;
    private volatile long batches;
    private volatile long requests;

    LoopMeter(EventLoop eventLoop) {
      this.eventLoop = eventLoop;
    }

    /**
     * Figures of the loop so far.
     *
     * @param cpuNs processor time of its thread.
     * @param bytes allocated by its thread.
     */
    record Reading(long cpuNs, long bytes, long batches, long requests) {}

    Reading read() {
      return eventLoop
          .submit(
              () -> {
                final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
                return new Reading(
                    threads.getCurrentThreadCpuTime(),
                    threads.getCurrentThreadAllocatedBytes(),
                    batches,
                    requests);
              })
          .awaitUninterruptibly()
          .getNow();
    }

    @Override
    public void storeSent(int checkCount, int requestCount) {
      batches++;
      requests += requestCount;
    }
  }
}
