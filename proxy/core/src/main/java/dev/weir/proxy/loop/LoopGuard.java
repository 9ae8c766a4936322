package dev.weir.proxy.loop;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;

/**
 * Ends the process if an event loop has ended unexpectedly: its connections would stay open and
 * never be answered, while a supervisor restarts a process that has ended. Any thread.
 */
public final class LoopGuard {
  private volatile boolean mayEnd;

  /** Guards event loops from now on. */
  public LoopGuard(EventLoopGroup group) {
    for (EventExecutor loop : group) {
      loop.terminationFuture()
          .addListener(
              ended -> {
                if (!mayEnd) {
                  InternalErrors.endProcess("an event loop has ended", ended.cause());
                }
              });
    }
  }

  /** Stops guarding, as the event loops are about to be ended. */
  public void leave() {
    mayEnd = true;
  }
}
