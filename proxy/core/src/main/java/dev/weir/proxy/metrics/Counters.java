package dev.weir.proxy.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A fixed row of counters with one writer and any number of readers.
 *
 * <pre>
 * index   0 .. 7     8 .. 8+n-1   8+n .. 8+n+7
 *         | padding  | counters   | padding    |
 * writer  |          | one thread |            |
 * store   |          | release    |            |
 * load    |          | acquire    |            |
 * </pre>
 *
 * The padding keeps another thread's writes off these cache lines. A reader who sees a count also
 * sees every count its writer had made before it.
 */
final class Counters {
  private static final int PADDING_LONGS = 8;
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] words;

  Counters(int count) {
    words = new long[PADDING_LONGS + count + PADDING_LONGS];
  }

  /** Adds 1 to a counter. By the writer only. */
  void increment(int index) {
    add(index, 1);
  }

  /** Adds to a counter, which wraps at 2^63. By the writer only. */
  void add(int index, long amount) {
    int at = PADDING_LONGS + index;
    WORD.setRelease(words, at, words[at] + amount);
  }

  long getAcquire(int index) {
    return (long) WORD.getAcquire(words, PADDING_LONGS + index);
  }
}
