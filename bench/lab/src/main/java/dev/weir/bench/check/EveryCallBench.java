package dev.weir.bench.check;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitSet;
import dev.weir.algorithms.LimitTable;
import dev.weir.algorithms.SipHash;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Does any call of the table allocate, whichever way it goes? A table too small for its keys, so
 * that slots are taken, given up, found taken, and shared; a clock that runs past windows, and at
 * times steps back. Its time per operation is the sum of all calls.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 1,
    jvmArgs = {
      "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
      "-Dagrona.disable.bounds.checks=true",
      "-Xmx512m"
    })
public class EveryCallBench {
  private static final int SLOT_COUNT = 1024;
  private static final int IDENTITIES = 0x3ff;
  private static final long WINDOW_NS = 1L << 33;
  private static final long STEP_NS = WINDOW_NS / 400;
  private static final int UNITS = 6;

  @Param Algorithm algorithm;

  private final Decision out = new Decision();
  private final Identity identity = new Identity(new SipHash(1, 2));
  private Limit limit;
  private Limit more;
  private Limit other;
  private LimitSet both;
  private LimitTable table;
  private long step;

  @Setup
  public void make() {
    limit = algorithm.of(UNITS, WINDOW_NS);
    more = algorithm.of(UNITS + 2, WINDOW_NS);
    other = Limit.tokenBucket(5, 1, WINDOW_NS, 1);
    both = LimitSet.of(limit, other);
    table = new LimitTable(SLOT_COUNT, 8);
  }

  @TearDown
  public void verify() {
    if (table.insertedCount() == 0 || table.reclaimedCount() == 0 || table.overflowCount() == 0) {
      throw new IllegalStateException("some paths were not taken");
    }
    table.close();
  }

  @Benchmark
  public long everyCall() {
    step++;
    final long key = identity.hash(step & IDENTITIES);
    final long backNs = (step & 15) == 0 ? 3 * WINDOW_NS / 2 : 0;
    final long nowNs = 2 * WINDOW_NS + step * STEP_NS - backNs;
    long sum = 0;
    sum += table.check(key, limit, 1, nowNs, out) ? 1 : 0;
    sum += told();
    sum += table.refund(key, limit, 1, nowNs, nowNs) ? 1 : 0;
    sum += table.checkAll(key, both, 1, nowNs, out) ? 1 : 0;
    sum += told();
    sum += table.grantUpTo(key, limit, 4, nowNs, out);
    sum += table.check(key, limit, UNITS, nowNs, out) ? 1 : 0;
    sum += told();
    sum += table.check(key, limit, UNITS + 1, nowNs, out) ? 1 : 0;
    sum += told();
    sum += table.peek(key, limit, 2, nowNs, out) ? 1 : 0;
    switch ((int) step & 31) {
      case 1 -> sum += table.reset(key, nowNs) ? 1 : 0;
      case 2 -> sum += change(key, more, nowNs);
      case 3 -> sum += change(key, other, nowNs);
      case 4 -> sum += table.carryOver(key, limit, table, key + 1, other, true, nowNs, out) ? 1 : 0;
      default -> sum++;
    }
    return sum;
  }

  private long change(long key, Limit to, long nowNs) {
    return (table.changeLimit(key, limit, to, nowNs) ? 1 : 0)
        + (table.changeLimit(key, to, limit, nowNs) ? 1 : 0);
  }

  private long told() {
    return out.granted()
        + out.remaining()
        + out.current()
        + out.resetAtNs()
        + out.retryAfterNs()
        + out.waitNs();
  }
}
