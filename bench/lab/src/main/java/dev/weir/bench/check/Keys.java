package dev.weir.bench.check;

import dev.weir.algorithms.SipHash;
import dev.weir.bench.keys.ZipfKeys;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Who asks, in which order, and when: the same for all rows. Time moves on by {@value #STEP_NS} ns
 * per check, whatever the machine's speed, and is handed out a batch at a time, as an event loop
 * does that reads its clock once per turn.
 */
@State(Scope.Benchmark)
public class Keys {
  static final int BATCH = 128;
  static final long STEP_NS = 1_000;
  static final long START_NS = 1_000_000_000L;

  /** Longer than any cache holds of what it refers to. */
  private static final int ORDER_LENGTH = 1 << 22;

  private static final int MIN_SLOT_COUNT = 64;
  private static final int CLOCK = 16;

  /** One hot key, what fits a cache, and what does not. */
  @Param({"1", "1000", "1000000"})
  int keys;

  @Param Order order;

  final SipHash hash = new SipHash(0x243f6a8885a308d3L, 0x13198a2e03707344L);

  /** The clock, alone on its cache lines. */
  private final AtomicLongArray clock = new AtomicLongArray(2 * CLOCK);

  private int[] ids;

  @Setup
  public void draw() {
    ids = order.draw(keys, ORDER_LENGTH);
    clock.set(CLOCK, START_NS);
  }

  /** The identity that asks as the {@code position}-th. */
  int id(int position) {
    return ids[position];
  }

  /** The position at which a thread's next batch starts. */
  int after(int position) {
    return (position + BATCH) & (ORDER_LENGTH - 1);
  }

  /** A thread's first batch, far from those of the others. */
  int start(int thread, int threads) {
    return (int) ((long) ORDER_LENGTH * thread / threads) & -BATCH;
  }

  /** The time of a batch's first check. */
  long batchNs() {
    return clock.getAndAdd(CLOCK, BATCH * STEP_NS);
  }

  /** Slots for these keys, of which 30 to 60 % are used. */
  int slotCount() {
    return Math.max(Integer.highestOneBit(keys + (int) (keys * 0.6)) << 1, MIN_SLOT_COUNT);
  }

  /** Sixteen bytes that name who asks, such as an address of IPv6, and their hash. One thread's. */
  static final class Identity {
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[16]);
    private final SipHash hash;

    Identity(SipHash hash) {
      this.hash = hash;
    }

    long hash(long id) {
      bytes.putLong(0, id);
      return hash.hash(bytes, 0, bytes.capacity());
    }
  }

  /** In which order keys are asked for. A hot key is either one with a single key. */
  public enum Order {
    /** Every key as often as any other. */
    UNIFORM,

    /** Key {@code k} with a weight of {@code 1 / (k + 1)}: of a million, the first gets 7 %. */
    ZIPF;

    int[] draw(int keys, int length) {
      final SplittableRandom random = new SplittableRandom(42);
      final int[] ids = new int[length];
      final ZipfKeys zipf = this == ZIPF ? new ZipfKeys(keys, 1) : null;
      Arrays.setAll(ids, i -> zipf == null ? random.nextInt(keys) : zipf.next(random));
      return ids;
    }
  }
}
