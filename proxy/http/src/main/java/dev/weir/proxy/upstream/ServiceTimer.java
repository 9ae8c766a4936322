package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;

/** What one connection to the service waits for at most; one time at a time. */
public abstract class ServiceTimer extends Deadlines.Waiter {
  public void until(long deadlineNs) {
    deadline(deadlineNs);
  }
}
