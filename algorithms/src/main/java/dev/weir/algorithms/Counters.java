package dev.weir.algorithms;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The counters of a table, a cache line each. Only what leaves the hit path is counted: a check of
 * a key that has its slot touches none of them.
 */
final class Counters {
  private static final int LINE_BYTES = 64;
  private static final int CLAIMS_OFFSET = 0;
  static final int INSERTED_OFFSET = CLAIMS_OFFSET + LINE_BYTES;
  static final int RECLAIMED_OFFSET = INSERTED_OFFSET + LINE_BYTES;
  static final int EVICTED_OFFSET = RECLAIMED_OFFSET + LINE_BYTES;
  static final int OVERFLOW_OFFSET = EVICTED_OFFSET + LINE_BYTES;
  static final int CONTENDED_OFFSET = OVERFLOW_OFFSET + LINE_BYTES;
  static final int COUNTERS_BYTES = CONTENDED_OFFSET + LINE_BYTES;

  private final UnsafeBuffer memory;

  /** {@code memory} is zeroed and {@value #COUNTERS_BYTES} bytes long. */
  Counters(UnsafeBuffer memory) {
    this.memory = memory;
  }

  /** A number no other claim has had. */
  long nextClaimId() {
    return memory.getAndAddLong(CLAIMS_OFFSET, 1);
  }

  void increment(int offset) {
    memory.getAndAddLong(offset, 1);
  }

  long count(int offset) {
    return memory.getLongAcquire(offset);
  }
}
