package dev.weir.bench.load;

import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunResult.Slice;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Target;
import dev.weir.proxy.loop.LoopEnd;
import dev.weir.proxy.loop.Transport;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * One run of a scenario: connects, warms up, loads, waits for the last answers, and tells what it
 * measured. Runs once, on the calling thread and event loops of its own, which end with it.
 */
public final class LoadRun {
  private static final long LEAD_NS = 5_000_000;
  private static final long LONG_NS = 10_000_000_000L;
  private static final int MOST_SLICES = 1_000;
  private static final long POLL_MS = 5;
  private static final long GRACE_NS = 1_000_000_000L;
  private static final long SETTLE_MS = 2L * Connector.TIMEOUT_MS;

  private final Scenario scenario;
  private final Progress progress;
  private final Function<Target, InetSocketAddress> addresses;
  private final List<LoadLoop> loops = new ArrayList<>();
  private MultiThreadIoEventLoopGroup group;
  private Transport transport;
  private volatile RunTimes times;
  private volatile boolean stopped;
  private int missing;
  private long cpuNs;
  private long handshakeCount;
  private long resumedCount;

  public interface Progress {
    Progress SILENT = (slice, p99Ns) -> {};

    /**
     * A slice has ended.
     *
     * @param p99Ns of the corrected latencies in it; 0 if there were none.
     */
    void slice(Slice slice, long p99Ns);
  }

  public LoadRun(Scenario scenario, Progress progress) {
    this(scenario, progress, target -> new InetSocketAddress(target.host(), target.port()));
  }

  /**
   * @param addresses where targets really are.
   */
  LoadRun(Scenario scenario, Progress progress, Function<Target, InetSocketAddress> addresses) {
    this.scenario = scenario;
    this.progress = progress;
    this.addresses = addresses;
  }

  /** Ends the run early, with a result; by any thread. */
  public void stop() {
    stopped = true;
    final RunTimes running = times;
    if (running != null) {
      running.stop();
    }
  }

  /**
   * Runs.
   *
   * @throws LoadException if a target's name is unknown or no connection to it came about.
   * @throws dev.weir.proxy.rule.spec.BadValueException for a field that the protocol does not have,
   *     or certificates that are none.
   */
  public RunResult run() throws LoadException, InterruptedException {
    final ClientSettings client = scenario.client();
    transport = Transport.of(client.transport());
    group =
        new MultiThreadIoEventLoopGroup(
            client.eventLoops(),
            new DefaultThreadFactory("weir-load", true),
            transport.handlerFactory());
    try {
      loops.addAll(new LoadLayout(scenario, transport, addresses).loops(group));
      connect();
      return measure();
    } finally {
      for (LoadLoop loop : loops) {
        on(loop, loop::end);
      }
      LoopEnd.await(group);
    }
  }

  private void connect() throws LoadException, InterruptedException {
    for (LoadLoop loop : loops) {
      loop.eventLoop().execute(() -> loop.targetLoads().forEach(TargetLoad::connect));
    }
    final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SETTLE_MS);
    while (!stopped && !everyLane(TargetLoad::settled) && System.nanoTime() < deadlineNs) {
      Thread.sleep(POLL_MS);
    }
    if (stopped) {
      throw new LoadException("stopped before there were connections", null);
    }
    for (LoadLoop loop : loops) {
      for (TargetLoad targetLoad : loop.targetLoads()) {
        checkOpen(loop, targetLoad);
      }
    }
  }

  private void checkOpen(LoadLoop loop, TargetLoad targetLoad) throws LoadException {
    final int wanted = targetLoad.connections();
    final int open = on(loop, targetLoad::openCount);
    missing += Math.max(0, wanted - open);
    if (open == 0) {
      final Throwable cause = on(loop, targetLoad::refusal);
      throw new LoadException(
          targetLoad.target()
              + ": "
              + (cause == null ? "no connection that stays open" : cause.getMessage())
              + " (expected: a server that listens there)",
          cause);
    }
  }

  private boolean everyLane(Function<TargetLoad, Boolean> condition) {
    for (LoadLoop loop : loops) {
      if (!on(loop, () -> loop.targetLoads().stream().allMatch(condition::apply))) {
        return false;
      }
    }
    return true;
  }

  private RunResult measure() throws InterruptedException {
    final RunTimes run =
        new RunTimes(
            System.nanoTime() + LEAD_NS, scenario.load().warmUpNs(), scenario.load().durationNs());
    final List<LoopRecorder> recorders = new ArrayList<>();
    for (LoadLoop loop : loops) {
      final LoopRecorder recorder = new LoopRecorder(run.measuredFromNs);
      recorders.add(recorder);
      loop.eventLoop().execute(() -> loop.begin(run, recorder));
    }
    times = run;
    if (stopped) {
      run.stop();
    }
    sleepUntil(run.measuredFromNs);
    final long cpuBeforeNs = cpuOfLoops();
    final Sampler sampler = new Sampler(recorders, run, scenario.load());
    final long sliceNs = sliceNs();
    long nextNs = run.measuredFromNs + sliceNs;
    // The last one takes the answers that are late along.
    while (nextNs < run.endNs() - sliceNs / 2) {
      sleepUntil(nextNs);
      report(sampler.take(Math.min(nextNs, run.endNs())));
      nextNs += sliceNs;
    }
    sleepUntil(run.endNs());
    cpuNs = cpuOfLoops() - cpuBeforeNs;
    drain();
    int unanswered = 0;
    for (LoadLoop loop : loops) {
      unanswered += on(loop, loop::end);
      if (on(loop, loop::fault) != null) {
        throw new IllegalStateException("an event loop failed", on(loop, loop::fault));
      }
    }
    report(sampler.take(System.nanoTime()));
    final RunFigures figures =
        new RunFigures(scenario, run, recorders, sampler, cpuNs, unanswered, missing);
    handshakeCount = figures.count(Count.HANDSHAKES);
    resumedCount = figures.count(Count.RESUMED);
    return figures.result();
  }

  private void report(Sampler.Sample sample) {
    progress.slice(sample.slice(), sample.p99Ns());
  }

  /** Slices of a second, but at least about ten and at most a thousand. */
  private long sliceNs() {
    final long durationNs = scenario.load().durationNs();
    final long secondNs = 1_000_000_000L;
    if (durationNs < LONG_NS) {
      return Math.max(100_000_000L, durationNs / 10);
    }
    return secondNs * Math.max(1, (durationNs / secondNs + MOST_SLICES - 1) / MOST_SLICES);
  }

  /** Waits until a time, or for the end of the run where that comes before. */
  private void sleepUntil(long untilNs) throws InterruptedException {
    while (true) {
      final long leftNs = Math.min(untilNs, times.endNs()) - System.nanoTime();
      if (leftNs <= 0) {
        return;
      }
      // In pieces: the end may be brought forward.
      TimeUnit.NANOSECONDS.sleep(Math.min(leftNs, 50_000_000));
    }
  }

  /**
   * Waits for the answers, at most as long as any may take: what waits for room may still be
   * started within its time-out, and has another one from then. Not that long where somebody stops
   * the run.
   */
  private void drain() throws InterruptedException {
    final long beganNs = System.nanoTime();
    long stoppedNs = Long.MAX_VALUE;
    while (anyBusy()) {
      final long nowNs = System.nanoTime();
      stoppedNs = stopped ? Math.min(stoppedNs, nowNs) : stoppedNs;
      if (nowNs - beganNs > 2 * scenario.client().timeoutNs() + GRACE_NS
          || nowNs - stoppedNs > GRACE_NS) {
        return;
      }
      Thread.sleep(POLL_MS);
    }
  }

  private boolean anyBusy() {
    for (LoadLoop loop : loops) {
      if (!on(loop, loop::idle)) {
        return true;
      }
    }
    return false;
  }

  private long cpuOfLoops() {
    long sumNs = 0;
    for (LoadLoop loop : loops) {
      sumNs += on(loop, () -> ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
    }
    return sumNs;
  }

  /** TLS handshakes that went through while the run was measured; after it. */
  public long handshakeCount() {
    return handshakeCount;
  }

  /** Those among them that went on with a session of before. */
  public long resumedCount() {
    return resumedCount;
  }

  /** Processor time of the event loops while the run was measured. */
  long cpuNs() {
    return cpuNs;
  }

  private static <T> T on(LoadLoop loop, Callable<T> task) {
    return loop.eventLoop().submit(task).syncUninterruptibly().getNow();
  }

  /** A run that could not begin: its message says what is wrong and what was expected. */
  public static final class LoadException extends Exception {
    private static final long serialVersionUID = 1L;

    LoadException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
