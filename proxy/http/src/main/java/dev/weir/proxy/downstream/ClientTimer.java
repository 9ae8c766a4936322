package dev.weir.proxy.downstream;

import dev.weir.proxy.loop.Deadlines;

/** What one client's connection waits for at most; one time at a time. */
final class ClientTimer extends Deadlines.Waiter {
  private ClientConnection owner;

  ClientTimer(ClientConnection owner) {
    this.owner = owner;
  }

  /** Another takes over the connection, and with it the time that was set. */
  void owner(ClientConnection successor) {
    owner = successor;
  }

  void within(long nowNs, long ns) {
    deadline(nowNs + ns);
  }

  void never() {
    deadline(Deadlines.NEVER);
  }

  @Override
  protected void onDeadline() {
    owner.onDeadline();
  }
}
