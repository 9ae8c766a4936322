package dev.weir.proxy.loop;

import java.util.concurrent.TimeUnit;

/** The time of day that this process believes, set wrong until this is closed. */
public final class TimeOfDay implements AutoCloseable {
  private final long rightNs = LoopClock.unixEpochNs();

  /** Has the process be so many minutes behind. */
  public void setBehind(long minutes) {
    LoopClock.follow(rightNs + TimeUnit.MINUTES.toNanos(minutes));
  }

  @Override
  public void close() {
    LoopClock.follow(rightNs);
  }
}
