package dev.weir.proxy.downstream;

import dev.weir.proxy.loop.Deadlines;

/** The deadline of one client's connection, of which there is one at a time. */
public final class ClientTimer extends Deadlines.Waiter {
  private ClientConnection owner;

  public ClientTimer(ClientConnection owner) {
    this.owner = owner;
  }

  /** Gives the timer, with its deadline, to the connection that replaces this one. */
  public void owner(ClientConnection successor) {
    owner = successor;
  }

  /** Sets the deadline to {@code ns} from now. */
  public void within(long nowNs, long ns) {
    deadline(nowNs + ns);
  }

  /** Clears the deadline. */
  public void never() {
    deadline(Deadlines.NEVER);
  }

  @Override
  protected void onDeadline() {
    owner.onDeadline();
  }
}
