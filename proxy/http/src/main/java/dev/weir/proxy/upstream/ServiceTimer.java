package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;

/** A timer on the service's side, with one deadline at a time. */
public abstract class ServiceTimer extends Deadlines.Waiter {
  public void until(long deadlineNs) {
    deadline(deadlineNs);
  }
}
