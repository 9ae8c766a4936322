package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;

/** The deadline of the first in a queue; those behind it have later ones. */
final class QueueDeadline extends Deadlines.Waiter {
  private final UpstreamQueue<?> queue;
  private final Runnable refuseOverdue;

  /**
   * @param refuseOverdue takes those out whose time has come.
   */
  QueueDeadline(UpstreamQueue<?> queue, Runnable refuseOverdue) {
    this.queue = queue;
    this.refuseOverdue = refuseOverdue;
  }

  /** Others are in the queue now. */
  void follow() {
    deadline(queue.size() == 0 ? Deadlines.NEVER : queue.firstDeadlineNs());
  }

  @Override
  protected void onDeadline() {
    try {
      refuseOverdue.run();
    } finally {
      follow();
    }
  }
}
