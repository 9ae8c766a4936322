package dev.weir.bench.store;

import dev.weir.bench.process.ProcessorTime;
import dev.weir.bench.process.RedisServer;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.store.CheckTraffic.Script;
import dev.weir.bench.store.ClosedLoop.Shape;
import dev.weir.bench.store.StoreComparison.StoreContender;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Mode exact beside what others do with a server: one EVALSHA per request, and Bucket4j's
 * compare-and-swap. All ask the same server in turns, round by round, about as many budgets.
 */
public final class StoreComparison {
  /** Decisions that are awaited at any time, but by those that ask one at a time. */
  public static final int WAITING = 128;

  private static final int FEW = 16;
  private static final double MOST_LEAD_SECONDS = 1;

  /** At a round in which something was not decided, as when a server or this machine pauses. */
  private static final int ATTEMPTS = 3;

  /** The name of Weir's own way. */
  public static final String WEIR = "Weir, exact";

  private final RedisServer server;
  private final Rounds rounds;
  private final RoundTable<Integer, Figures> figures = new RoundTable<>();

  /**
   * The figures of a contender in one round.
   *
   * @param perSecond decisions.
   * @param serverUs processor time of the server's main thread per decision.
   * @param clientUs processor time of this whole process per decision, the load included.
   * @param undecided questions that failed.
   */
  public record Figures(
      double perSecond,
      double serverUs,
      double clientUs,
      double p50Us,
      double p99Us,
      long undecided) {}

  private StoreComparison(RedisServer server, Rounds rounds) {
    this.server = server;
    this.rounds = rounds;
  }

  /**
   * Measures all against a server that is already there, and that they empty.
   *
   * @return by number of keys.
   */
  public static RoundTable<Integer, Figures> run(
      RedisServer server, List<Integer> keyCounts, Rounds rounds)
      throws IOException, InterruptedException {
    final StoreComparison comparison = new StoreComparison(server, rounds);
    final List<StoreContender> all = new ArrayList<>();
    try {
      comparison.open(all);
      for (StoreContender each : all) {
        rounds.tell("warm-up: store, %s", each.label());
        each.prepare(keyCounts.get(0));
        each.load(Math.max(rounds.seconds() / 4, rounds.warmUpSeconds()));
      }
      for (int keyCount : keyCounts) {
        comparison.compare(all, keyCount);
      }
    } finally {
      for (StoreContender each : all) {
        each.close();
      }
    }
    return comparison.figures;
  }

  private void open(List<StoreContender> all) {
    final int size = WAITING / 2;
    all.add(new ExactContender(server, WAITING));
    all.add(evalsha("pipelined " + size, Shape.pipelined(size)));
    all.add(evalsha(FEW + " connections", Shape.UNPIPELINED));
    all.add(new Bucket4jContender(server, WAITING, false));
    all.add(new Bucket4jContender(server, FEW, false));
    all.add(new Bucket4jContender(server, WAITING, true));
  }

  private StoreContender evalsha(String how, Shape shape) {
    return new EvalshaContender("EVALSHA per request, " + how, shape, server, rounds);
  }

  private void compare(List<StoreContender> all, int keyCount)
      throws IOException, InterruptedException {
    for (int round = 1; round <= rounds.count(); round++) {
      for (StoreContender each : all) {
        Figures measured = measure(each, keyCount);
        for (int i = 1; i < ATTEMPTS && measured.undecided() > 0; i++) {
          measured = measure(each, keyCount);
        }
        figures.add(keyCount, each.label(), measured);
        rounds.tell(
            "store    %6d keys, round %d: %-36s %8.0f/s %6.2f us/decision in Redis",
            keyCount, round, each.label(), measured.perSecond(), measured.serverUs());
      }
    }
  }

  private Figures measure(StoreContender contender, int keyCount)
      throws IOException, InterruptedException {
    contender.prepare(keyCount);
    contender.load(Math.min(MOST_LEAD_SECONDS, rounds.seconds() / 4));
    final double serverUs = server.cpuUs();
    final double clientUs = ProcessorTime.ofThisUs();
    final long startNs = System.nanoTime();
    final StoreContender.Decisions decisions = contender.load(rounds.seconds());
    final double seconds = (System.nanoTime() - startNs) / 1e9;
    final double spentClientUs = ProcessorTime.ofThisUs() - clientUs;
    final double spentServerUs = server.cpuUs() - serverUs;
    return new Figures(
        decisions.count() / seconds,
        spentServerUs / decisions.count(),
        spentClientUs / decisions.count(),
        decisions.latencies().getValueAtPercentile(50) / 1e3,
        decisions.latencies().getValueAtPercentile(99) / 1e3,
        decisions.undecided());
  }

  /** One way to have a server decide, as it is compared. Used by one thread. */
  interface StoreContender extends AutoCloseable {
    /** The contender's name in reports. */
    String label();

    /** Empties the server, and brings so many budgets into it. */
    void prepare(int keyCount) throws IOException, InterruptedException;

    /** Asks as fast as is answered, for so long; every request may pass. */
    Decisions load(double seconds) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;

    /**
     * The decisions of a load.
     *
     * @param latencies in nanoseconds, from a question, or the pipeline that it was part of.
     * @param undecided those that failed, or that were refused.
     */
    record Decisions(long count, Histogram latencies, long undecided) {}
  }

  /**
   * One EVALSHA per request, of a script that knows GCRA alone: what one would write oneself. Its
   * client only counts replies, so that it costs as little as any.
   */
  static final class EvalshaContender implements StoreContender {
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

  /** The sidecar's own way: gathered by its event loop, decided by its script. */
  static final class ExactContender implements StoreContender {
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
      while (load.asked < keyCount) {
        load(0.1);
      }
    }

    @Override
    public Decisions load(double seconds) {
      load.run(LoopLoad.SATURATED, waiting, (long) (seconds * 1e9)).join();
      return new Decisions(load.decided, load.latencies, load.refused + load.undecided);
    }

    @Override
    public void close() {
      bench.close();
    }
  }
}
