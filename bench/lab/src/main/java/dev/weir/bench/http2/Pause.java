package dev.weir.bench.http2;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Time that passes between two looks. */
final class Pause {
  private Pause() {}

  static void ms(long ms) {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(ms));
  }
}
