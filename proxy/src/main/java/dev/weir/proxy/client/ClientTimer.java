package dev.weir.proxy.client;

import dev.weir.proxy.loop.Deadlines;

/** What one client's connection waits for at most; one time at a time. */
abstract class ClientTimer extends Deadlines.Waiter {
  void within(long nowNs, long ns) {
    deadline(nowNs + ns);
  }

  void never() {
    deadline(Deadlines.NEVER);
  }
}
