package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.RecordStoreException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Repeats a write that others overtake, with pauses that grow, as each time one of the writers has
 * written. Writers of one process take turns.
 */
final class RepeatedWrite {
  private static final long MOST_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long FIRST_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(100);
  private static final long MOST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);

  interface Write {
    /** Returns whether it was made. */
    boolean isMade() throws RecordStoreException;
  }

  synchronized void until(Write write) throws RecordStoreException {
    long startNs = System.nanoTime();
    long pauseNs = FIRST_PAUSE_NS;
    while (!write.isMade()) {
      if (System.nanoTime() - startNs > MOST_NS) {
        throw new RecordStoreException(
            "redis: other writers were faster each time for "
                + TimeUnit.NANOSECONDS.toSeconds(MOST_NS)
                + " s (expected: fewer writes of records at one time); try again");
      }
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(pauseNs));
      pauseNs = Math.min(2 * pauseNs, MOST_PAUSE_NS);
    }
  }
}
