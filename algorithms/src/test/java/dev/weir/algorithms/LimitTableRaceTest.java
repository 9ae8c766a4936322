package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.ZoneOffset;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LimitTableRaceTest {
  private static final int THREADS = 100;
  private static final int ROUNDS = 1_000;

  /** From one barrier to the next: to wake a hundred threads takes longer than many checks. */
  private static final int ROUNDS_AT_ONCE = 25;

  /** Some microseconds. */
  private static final int SPINS = 100;

  private static final long SECOND = 1_000_000_000L;
  private static final long MINUTE = 60 * SECOND;

  /** In the middle of a window, and of a sub-window that is not the first one. */
  private static final long NOW = 1_000 * MINUTE + 30 * SECOND;

  /** Every algorithm, at a limit of 10. */
  static Stream<Arguments> tenPerMinute() {
    return Stream.of(
        Arguments.of("gcra", Limit.gcra(10, MINUTE, 10)),
        Arguments.of("token-bucket", Limit.tokenBucket(10, 10, MINUTE)),
        Arguments.of("leaky-bucket", Limit.leakyBucket(10, 10, MINUTE)),
        Arguments.of("leaky-bucket, queue", Limit.leakyBucketQueue(10, 10, MINUTE, MINUTE)),
        Arguments.of("fixed-window", Limit.fixedWindow(10, MINUTE, 0)),
        Arguments.of(
            "fixed-window, calendar",
            Limit.fixedWindow(10, CalendarUnit.HOUR, ZoneOffset.UTC, -1_700_000_000 * SECOND)),
        Arguments.of("sliding-counter", Limit.slidingCounter(10, MINUTE)),
        Arguments.of("sliding-log", Limit.slidingLog(10, MINUTE)),
        Arguments.of("bucket-ring", Limit.bucketRing(10, MINUTE, 60)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tenPerMinute")
  void ofAHundredThreadsExactlyTenPassAThousandTimesOver(String name, Limit limit)
      throws InterruptedException {
    try (LimitTable table = new LimitTable(4096, limit.cells())) {
      final AtomicIntegerArray passed = race(table, limit, 0);
      for (int round = 0; round < ROUNDS; round++) {
        assertEquals(10, passed.get(round), "round " + round);
      }
      assertEquals(ROUNDS, table.insertedCount());
      assertEquals(0, table.overflowCount() + table.contendedCount());
    }
  }

  /** Charges three units of each key a sub-window before, so that the threads meet known keys. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("tenPerMinute")
  void ofAHundredThreadsExactlySevenPassBesideThree(String name, Limit limit)
      throws InterruptedException {
    final Decision out = new Decision();
    try (LimitTable table = new LimitTable(4096, limit.cells())) {
      for (int round = 0; round < ROUNDS; round++) {
        assertEquals(3, Grants.upTo(table, key(round), limit, 3, NOW - SECOND, out));
      }
      final AtomicIntegerArray passed = race(table, limit, 1);
      for (int round = 0; round < ROUNDS; round++) {
        assertEquals(7, passed.get(round), "round " + round);
      }
      assertEquals(0, table.overflowCount() + table.contendedCount());
    }
  }

  private static long key(int round) {
    return 0x9e3779b97f4a7c15L * (round + 1);
  }

  /** Threads that meet at each key, each with a clock up to {@code skewNs} behind. */
  private static AtomicIntegerArray race(LimitTable table, Limit limit, long skewNs)
      throws InterruptedException {
    final AtomicIntegerArray came = new AtomicIntegerArray(ROUNDS);
    final AtomicIntegerArray passed = new AtomicIntegerArray(ROUNDS);
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final CyclicBarrier barrier = new CyclicBarrier(THREADS);
    final Thread[] threads = new Thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
      final long nowNs = NOW - i % (skewNs + 1);
      threads[i] =
          new Thread(
              () -> {
                final Decision out = new Decision();
                try {
                  for (int round = 0; round < ROUNDS; round++) {
                    if (round % ROUNDS_AT_ONCE == 0) {
                      barrier.await();
                    }
                    awaitOneMore(came, round);
                    if (table.check(key(round), limit, 1, nowNs, out)) {
                      passed.incrementAndGet(round);
                    }
                  }
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                  barrier.reset();
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(null, failure.get());
    return passed;
  }

  /**
   * Lets two and two go on together: woken one by one, threads would be through with a key before
   * the next one comes.
   */
  private static void awaitOneMore(AtomicIntegerArray came, int round) {
    final int number = came.incrementAndGet(round);
    for (int i = 0; i < SPINS && number % 2 == 1 && came.get(round) == number; i++) {
      Thread.onSpinWait();
    }
  }
}
