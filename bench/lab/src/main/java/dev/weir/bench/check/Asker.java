package dev.weir.bench.check;

import dev.weir.algorithms.Decision;
import dev.weir.bench.check.Keys.Identity;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.ThreadParams;

/** One thread: its place in the order, the 16 bytes it hashes, and a tally of what it was told. */
@State(Scope.Thread)
public class Asker {
  /** Two threads' clocks are not in step, so a request in a hundred may meet another regime. */
  private static final double TOLERATED = 0.02;

  final Decision out = new Decision();

  private Keys keys;
  private Identity identity;
  private boolean expectRefusals;
  private int position;
  private long asked;
  private long allowed;

  @Setup
  public void start(Keys keys, BenchmarkParams benchmark, ThreadParams threads) {
    this.keys = keys;
    identity = new Identity(keys.hash);
    position = keys.start(threads.getThreadIndex(), threads.getThreadCount());
    expectRefusals = benchmark.getBenchmark().endsWith("efused");
  }

  @Setup(Level.Iteration)
  public void forget() {
    asked = 0;
    allowed = 0;
  }

  /** A row that measures something else than its name says is worse than none. */
  @TearDown(Level.Iteration)
  public void verify() {
    final double share = (double) (expectRefusals ? allowed : asked - allowed) / asked;
    if (asked > 0 && share > TOLERATED) {
      throw new IllegalStateException(
          allowed
              + " of "
              + asked
              + " allowed (expected: "
              + (expectRefusals ? "none" : "all")
              + ")");
    }
  }

  /** The position of the next batch. */
  int nextBatch() {
    position = keys.after(position);
    return position;
  }

  int tally(int passed) {
    asked += Keys.BATCH;
    allowed += passed;
    return passed;
  }

  long hashOf(long id) {
    return identity.hash(id);
  }
}
