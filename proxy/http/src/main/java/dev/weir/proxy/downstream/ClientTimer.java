package dev.weir.proxy.downstream;

import dev.weir.proxy.loop.Deadlines;

/** The deadline of one client's connection; one at a time. */
public final class ClientTimer extends Deadlines.Waiter {
  private ClientConnection owner;

  public ClientTimer(ClientConnection owner) {
    this.owner = owner;
  }

  /** Another takes over the connection, and with it the time that was set. */
  public void owner(ClientConnection successor) {
    owner = successor;
  }

  /** Waits for so long from now. */
  public void within(long nowNs, long ns) {
    deadline(nowNs + ns);
  }

  /** Waits for nothing. */
  public void never() {
    deadline(Deadlines.NEVER);
  }

  @Override
  protected void onDeadline() {
    owner.onDeadline();
  }
}
