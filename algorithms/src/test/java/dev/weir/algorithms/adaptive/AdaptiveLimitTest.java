package dev.weir.algorithms.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class AdaptiveLimitTest {
  private static final long MS = 1_000_000;

  @Test
  void needsAMinimumOfOneAndAMaximumThatIsNotBelowIt() {
    assertThrows(IllegalArgumentException.class, () -> new AdaptiveLimit(0, 5));
    assertThrows(IllegalArgumentException.class, () -> new AdaptiveLimit(6, 5));
    assertEquals(5, new AdaptiveLimit(5, 5).limit());
  }

  @Test
  void tellsWhatAWindowHasFound() {
    AdaptiveLimit limit = new AdaptiveLimit(10, 500);
    for (int i = 0; i < 10; i++) {
      assertEquals(10, limit.limit());
      assertEquals(0, limit.unloadedNs());
      limit.answered(20 * MS, 10, 1_000 * MS + i * 100 * MS);
    }
    assertEquals(15, limit.limit());
    assertEquals(20 * MS, limit.unloadedNs());
    for (int i = 0; i < 10; i++) {
      limit.dropped(15, 5_000 * MS + i * 100 * MS);
    }
    assertEquals(13, limit.limit(), "a tenth less");
  }

  @Test
  void otherBoundsTakeOverWhatWasFound() {
    AdaptiveLimit limit = new AdaptiveLimit(10, 500);
    for (int i = 0; i < 10; i++) {
      limit.answered(20 * MS, 10, 1_000 * MS + i * 100 * MS);
    }
    AdaptiveLimit wider = limit.within(5, 600);
    assertEquals(15, wider.limit());
    assertEquals(20 * MS, wider.unloadedNs());
    assertEquals(12, limit.within(5, 12).limit());
    assertEquals(20, limit.within(20, 30).limit());
  }

  @Test
  void threadsThatMeetLeaveSamplesOutAndNothingElse() throws InterruptedException {
    final int threads = 4;
    AdaptiveLimit limit = new AdaptiveLimit(10, 500);
    AtomicReference<Throwable> fault = new AtomicReference<>();
    CyclicBarrier start = new CyclicBarrier(threads);
    Thread[] all = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      all[t] =
          new Thread(
              () -> {
                try {
                  start.await();
                  for (int i = 1; i <= 200_000; i++) {
                    limit.answered(20 * MS, limit.limit(), i * MS);
                    assertTrue(limit.limit() >= 10 && limit.limit() <= 500);
                    final long unloadedNs = limit.unloadedNs();
                    assertTrue(unloadedNs == 0 || Math.abs(unloadedNs - 20 * MS) <= 1);
                  }
                } catch (Throwable e) {
                  fault.set(e);
                }
              });
      all[t].start();
    }
    for (Thread thread : all) {
      thread.join();
    }
    assertNull(fault.get());
    assertEquals(500, limit.limit());
  }
}
