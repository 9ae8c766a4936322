package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.Deadlines;

/**
 * What one request waits for at most; one time at a time, and never past the time that its client
 * gives the whole of it. It is looked at from the first wait on: most requests have none.
 */
abstract class RequestTimer extends Deadlines.Waiter {
  private final Deadlines deadlines;
  private boolean joined;
  private long endNs = Deadlines.NEVER;

  RequestTimer(Deadlines deadlines) {
    this.deadlines = deadlines;
  }

  /**
   * No wait goes on past {@code endNs}; there is none yet.
   *
   * @param endNs or {@link Deadlines#NEVER}.
   */
  void until(long endNs) {
    this.endNs = endNs;
    if (endNs != Deadlines.NEVER) {
      join();
    }
    never();
  }

  long endNs() {
    return endNs;
  }

  /** What is left of the time of the whole request, 0 or more; there is an end. */
  long leftNs(long nowNs) {
    return Math.max(0, endNs - nowNs);
  }

  /** Whether the whole request has an end. */
  boolean hasEnd() {
    return endNs != Deadlines.NEVER;
  }

  /** Whether the time of the whole request is over. */
  boolean isOver(long nowNs) {
    return endNs <= nowNs;
  }

  void within(long nowNs, long ns) {
    join();
    deadline(Math.min(nowNs + ns, endNs));
  }

  private void join() {
    if (!joined) {
      joined = true;
      deadlines.join(this);
    }
  }

  /** Nothing is waited for but the end of the whole request. */
  void never() {
    deadline(endNs);
  }

  /** Is looked at no more, until it is set again. */
  void end() {
    until(Deadlines.NEVER);
    if (joined) {
      joined = false;
      leave();
    }
  }
}
