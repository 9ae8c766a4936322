package dev.weir.bench.check;

import static dev.weir.bench.check.Keys.BATCH;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The least that a check could cost: the identity's hash, and one CAS on its slot of a table of the
 * same size, with no look at whose slot it is and no decision.
 */
@State(Scope.Benchmark)
public class FloorBench extends CheckBench {
  private static final int SLOT_BYTES = 16;
  private static final int LINE_BYTES = 64;

  private ByteBuffer allocated;
  private UnsafeBuffer slots;
  private int slotMask;

  @Setup
  public void allocate(Keys keys) {
    final int bytes = keys.slotCount() * SLOT_BYTES;
    allocated = ByteBuffer.allocateDirect(bytes + LINE_BYTES);
    final int start = (int) -BufferUtil.address(allocated) & (LINE_BYTES - 1);
    slots = new UnsafeBuffer(allocated, start, bytes);
    slotMask = keys.slotCount() - 1;
    // Pages that nothing was written to would all be the same one.
    slots.setMemory(0, bytes, (byte) 1);
  }

  @TearDown
  public void free() {
    BufferUtil.free(allocated);
  }

  private boolean cas(long hash) {
    final int state = ((int) hash & slotMask) * SLOT_BYTES + Long.BYTES;
    final long before = slots.getLongAcquire(state);
    return slots.compareAndSetLong(state, before, before + 1);
  }

  /** The floor of every target. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public int hashAndCas(Keys keys, Asker asker) {
    int count = 0;
    final int start = asker.nextBatch();
    for (int i = start; i < start + BATCH; i++) {
      count += cas(asker.hashOf(keys.id(i))) ? 1 : 0;
    }
    return count;
  }
}
