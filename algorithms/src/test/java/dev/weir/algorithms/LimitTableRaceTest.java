package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LimitTableRaceTest {
  private static final int THREADS = 100;
  private static final int ROUNDS = 1_000;
  private static final long SECOND = 1_000_000_000L;
  private static final Limit TEN_PER_MINUTE = Limit.gcra(10, 60 * SECOND, 10);

  @Test
  void ofAHundredThreadsExactlyTenPassAThousandTimesOver() throws InterruptedException {
    final AtomicIntegerArray passed = new AtomicIntegerArray(ROUNDS);
    final AtomicReference<Throwable> failure = new AtomicReference<>();
    final CyclicBarrier barrier = new CyclicBarrier(THREADS);
    try (LimitTable table = new LimitTable(4096)) {
      final Thread[] threads = new Thread[THREADS];
      for (int i = 0; i < THREADS; i++) {
        threads[i] =
            new Thread(
                () -> {
                  final Decision out = new Decision();
                  try {
                    for (int round = 0; round < ROUNDS; round++) {
                      barrier.await();
                      if (table.check(
                          0x9e3779b97f4a7c15L * round, TEN_PER_MINUTE, 1, SECOND, out)) {
                        passed.incrementAndGet(round);
                      }
                    }
                  } catch (Throwable e) {
                    failure.set(e);
                    barrier.reset();
                  }
                });
        threads[i].start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(null, failure.get());
      for (int round = 0; round < ROUNDS; round++) {
        assertEquals(10, passed.get(round), "round " + round);
      }
      assertEquals(ROUNDS, table.insertedCount());
      assertEquals(0, table.overflowCount() + table.contendedCount());
    }
  }
}
