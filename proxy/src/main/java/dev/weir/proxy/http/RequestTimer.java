package dev.weir.proxy.http;

import dev.weir.proxy.loop.Deadlines;

/**
 * What one request waits for at most; one time at a time. It is looked at from the first wait on:
 * most requests have none.
 */
abstract class RequestTimer extends Deadlines.Waiter {
  private final Deadlines deadlines;
  private boolean joined;

  RequestTimer(Deadlines deadlines) {
    this.deadlines = deadlines;
  }

  void within(long nowNs, long ns) {
    if (!joined) {
      joined = true;
      deadlines.join(this);
    }
    deadline(nowNs + ns);
  }

  void never() {
    deadline(Deadlines.NEVER);
  }

  /** Is looked at no more, until it is set again. */
  void end() {
    never();
    if (joined) {
      joined = false;
      leave();
    }
  }
}
