package dev.weir.proxy.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class WatchThreadTest {
  private static final long DAY_NS = TimeUnit.DAYS.toNanos(1);
  private static final String FAILURE = "the failure that a test makes";

  @Test
  void looksAgainAfterALookThatFailed() throws InterruptedException {
    CountDownLatch looks = new CountDownLatch(3);
    Runnable look =
        () -> {
          looks.countDown();
          throw new IllegalStateException(FAILURE);
        };
    try (WatchThread watch = new WatchThread("test-fails", 1, look, FAILURE)) {
      watch.start();
      assertTrue(looks.await(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void looksAgainAfterALookThatRanOutOfMemory() throws InterruptedException {
    CountDownLatch looks = new CountDownLatch(3);
    Runnable look =
        () -> {
          looks.countDown();
          throw new OutOfMemoryError(FAILURE);
        };
    try (WatchThread watch = new WatchThread("test-no-memory", 1, look, FAILURE)) {
      watch.start();
      assertTrue(looks.await(60, TimeUnit.SECONDS));
    }
  }

  @Test
  void keepsNoProcessAlive() throws InterruptedException {
    AtomicReference<Thread> looking = new AtomicReference<>();
    CountDownLatch looked = new CountDownLatch(1);
    Runnable look =
        () -> {
          looking.set(Thread.currentThread());
          looked.countDown();
        };
    try (WatchThread watch = new WatchThread("test-daemon", 1, look, FAILURE)) {
      watch.start();
      assertTrue(looked.await(60, TimeUnit.SECONDS));
    }
    assertEquals("test-daemon", looking.get().getName());
    assertTrue(looking.get().isDaemon());
  }

  @Test
  void endsWithoutALookWhenItIsClosedWhileItWaits() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    WatchThread watch = new WatchThread("test-waits", DAY_NS, looks::incrementAndGet, FAILURE);
    watch.start();
    Thread waiting =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("test-waits"))
            .findFirst()
            .orElseThrow();
    watch.close();
    waiting.join(TimeUnit.SECONDS.toMillis(60));
    assertFalse(waiting.isAlive());
    assertEquals(0, looks.get());
  }

  @Test
  void closesUnstarted() {
    new WatchThread("test-unstarted", DAY_NS, () -> {}, FAILURE).close();
  }
}
