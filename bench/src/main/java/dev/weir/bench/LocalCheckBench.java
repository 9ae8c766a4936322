package dev.weir.bench;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.algorithms.SipHash;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does a check cost beside the least it could: one CAS on a random slot of the same table?
 *
 * <p>As in the sidecar, the time is read once per batch, here never: it is an argument that moves
 * with each batch. {@code floor} and {@code allowed} start from the key's hash, {@code hashedFloor}
 * and {@code hashedAllowed} hash 16 bytes first. {@code allowedFraction} is a rate whose unit takes
 * no whole number of nanoseconds, {@code refused} writes nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 3,
    jvmArgs = {"--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-Xmx512m", "-Xms512m"})
public class LocalCheckBench {
  private static final int BATCH = 256;
  private static final int ORDER_LENGTH = 1 << 20;
  private static final int SLOT_COUNT = 1 << 21;
  private static final int SLOT_BYTES = 16;
  private static final long DAY_NS = 86_400_000_000_000L;

  /** More than a batch spends on one key at 100 ns per unit, so nothing is refused. */
  private static final long BATCH_NS = 100L * BATCH;

  /** One hot key, and more than fit in any cache. */
  @Param({"1", "1000000"})
  private int keys;

  private final Limit whole = Limit.gcra(10_000_000, 1_000_000_000L, 100_000);
  private final Limit fraction = Limit.gcra(9_999_999, 1_000_000_000L, 100_000);
  private final Limit onePerDay = Limit.gcra(1, 100 * DAY_NS, 1);
  private final Decision out = new Decision();
  private final SipHash hash = new SipHash(0x243f6a8885a308d3L, 0x13198a2e03707344L);
  private final UnsafeBuffer identity = new UnsafeBuffer(new byte[16]);
  private final int[] ids = new int[ORDER_LENGTH];
  private final long[] order = new long[ORDER_LENGTH];
  private UnsafeBuffer bare;
  private LimitTable table;
  private LimitTable spent;
  private long nowNs = 1;
  private int next;

  @Setup
  public void fill() {
    bare = new UnsafeBuffer(ByteBuffer.allocateDirect(SLOT_COUNT * SLOT_BYTES + 64));
    table = new LimitTable(SLOT_COUNT);
    spent = new LimitTable(SLOT_COUNT);
    final SplittableRandom random = new SplittableRandom(42);
    final long[] hashes = new long[keys];
    for (int i = 0; i < keys; i++) {
      hashes[i] = hashOf(i);
      table.check(hashes[i], whole, 1, nowNs, out);
      spent.check(hashes[i], onePerDay, 1, nowNs, out);
    }
    for (int i = 0; i < ORDER_LENGTH; i++) {
      ids[i] = random.nextInt(keys);
      order[i] = hashes[ids[i]];
    }
  }

  @TearDown
  public void free() {
    table.close();
    spent.close();
  }

  private long hashOf(long id) {
    identity.putLong(0, id);
    return hash.hash(identity, 0, identity.capacity());
  }

  private int batch() {
    nowNs += BATCH_NS;
    next = (next + BATCH) & (ORDER_LENGTH - 1);
    return next;
  }

  private boolean cas(long key) {
    final int state = ((int) key & (SLOT_COUNT - 1)) * SLOT_BYTES + 8;
    final long before = bare.getLongAcquire(state);
    return bare.compareAndSetLong(state, before, before + 1);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int floor() {
    int count = 0;
    final int start = batch();
    for (int i = start; i < start + BATCH; i++) {
      count += cas(order[i]) ? 1 : 0;
    }
    return count;
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int hashedFloor() {
    int count = 0;
    final int start = batch();
    for (int i = start; i < start + BATCH; i++) {
      count += cas(hashOf(ids[i])) ? 1 : 0;
    }
    return count;
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int allowed() {
    return check(table, whole);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int allowedFraction() {
    return check(table, fraction);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int refused() {
    nowNs -= BATCH_NS - 1;
    return check(spent, onePerDay);
  }

  private int check(LimitTable of, Limit limit) {
    int count = 0;
    final int start = batch();
    for (int i = start; i < start + BATCH; i++) {
      count += of.check(order[i], limit, 1, nowNs, out) ? 1 : 0;
    }
    return count;
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int hashedAllowed() {
    int count = 0;
    final int start = batch();
    for (int i = start; i < start + BATCH; i++) {
      count += table.check(hashOf(ids[i]), whole, 1, nowNs, out) ? 1 : 0;
    }
    return count;
  }
}
