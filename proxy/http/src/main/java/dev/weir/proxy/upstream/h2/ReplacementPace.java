package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import java.util.concurrent.TimeUnit;

/** The pace at which connections are made that replace others: one in 100 ms. */
final class ReplacementPace extends Deadlines.Waiter {
  private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LoopClock clock;
  private final Runnable next;

  /** Whether the next that is made replaces another. */
  private boolean isReplacement;

  private long nextNs = Long.MIN_VALUE;

  /**
   * @param next is run when one may be made that could not be made before.
   */
  ReplacementPace(LoopClock clock, Runnable next) {
    this.clock = clock;
    this.next = next;
  }

  /** There is a connection less. */
  void lost() {
    isReplacement = true;
  }

  /** Whether one more may be made now, as it then is; if not, it is told when. */
  boolean begins() {
    if (isReplacement) {
      long nowNs = clock.nowNs();
      if (nowNs < nextNs) {
        deadline(nextNs);
        return false;
      }
      isReplacement = false;
      nextNs = nowNs + PACE_NS;
    }
    return true;
  }

  @Override
  protected void onDeadline() {
    next.run();
  }
}
