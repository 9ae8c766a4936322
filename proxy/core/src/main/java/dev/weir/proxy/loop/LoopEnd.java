package dev.weir.proxy.loop;

import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Ends event loops and closes what is open on them first. Netty closes the channels of a loop in
 * its last turn, but a loop that is told to end while it runs its tasks has no further turn: its
 * connections stay open, and with io_uring an end of one that the kernel reports later is handled
 * when the loop takes no more tasks. A shutdown hook that has run makes a turn more.
 */
public final class LoopEnd {
  /** The shortest time that Netty waits for further tasks; with none it has no further turn. */
  private static final long QUIET_NS = 1;

  /** A loop ends then, whatever it still has to do. */
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

  private LoopEnd() {}

  /** Ends event loops, and waits until they have ended. Any thread but theirs. */
  public static void await(EventLoopGroup group) {
    for (EventExecutor loop : group) {
      if (!loop.isShuttingDown()) {
        ((SingleThreadEventExecutor) loop).addShutdownHook(() -> {});
      }
    }
    group.shutdownGracefully(QUIET_NS, TIMEOUT_NS, TimeUnit.NANOSECONDS).awaitUninterruptibly();
  }
}
