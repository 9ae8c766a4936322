package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import java.util.concurrent.TimeUnit;

/**
 * The times of one connection to a service of HTTP/1.1: how long it waits, for the service or for
 * the next exchange, and since when its exchange is a long one.
 */
final class ConnectionTimes {
  /** An exchange that takes longer is a stream, whichever side it is that takes its time. */
  private static final long LONG_NS = TimeUnit.SECONDS.toNanos(5);

  /** When one that found no place among the streams looks again. */
  private static final long LOOK_AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

  private final LoopClock clock;
  private final long responseTimeoutNs;
  private final ServiceTimer wait;
  private final ServiceTimer age;

  /**
   * @param pool has the connection, and is told when its exchange goes on for long.
   * @param onDeadline is told that what was waited for has taken too long.
   */
  ConnectionTimes(UpstreamPool pool, UpstreamConnection connection, Runnable onDeadline) {
    clock = pool.clock();
    responseTimeoutNs = pool.responseTimeoutNs();
    wait =
        new ServiceTimer() {
          @Override
          protected void onDeadline() {
            onDeadline.run();
          }
        };
    age =
        new ServiceTimer() {
          @Override
          protected void onDeadline() {
            if (!pool.becomeStream(connection)) {
              until(clock.nowNs() + LOOK_AGAIN_NS);
            }
          }
        };
  }

  /** They are looked at from now on, until {@link #leave}. */
  void join(Deadlines deadlines) {
    deadlines.join(wait);
    deadlines.join(age);
  }

  /** An exchange begins, and waits for nothing yet. */
  void exchangeBegins() {
    age.until(clock.nowNs() + LONG_NS);
    wait.until(Deadlines.NEVER);
  }

  /** There is no exchange; the connection ends then. */
  void idleUntil(long deadlineNs) {
    wait.until(deadlineNs);
    age.until(Deadlines.NEVER);
  }

  /** Gives the service its time anew, from {@code nowNs} on. */
  void awaitService(long nowNs) {
    wait.until(nowNs + responseTimeoutNs);
  }

  /** Waits for nothing: all that is waited for is the client's. */
  void awaitNothing() {
    wait.until(Deadlines.NEVER);
  }

  void leave() {
    wait.leave();
    age.leave();
  }
}
