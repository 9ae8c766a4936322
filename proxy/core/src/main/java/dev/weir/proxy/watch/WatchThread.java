package dev.weir.proxy.watch;

import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at files again and again, on a thread of its own that does not keep the process alive.
 * Looking sees what file events miss or tell in ways of their own: an editor's rename, a symbolic
 * link that Kubernetes swaps, a network file system.
 */
public final class WatchThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WatchThread.class);

  private final long intervalNs;
  private final Runnable look;
  private final String failure;
  private final Thread thread;
  private volatile boolean isClosed;

  /**
   * A thread that looks at nothing until it is started.
   *
   * @param name of the thread.
   * @param intervalNs between two looks, and before the first.
   * @param look run by this thread only. What it throws is logged, and it is run again.
   * @param failure what the log says when a look throws.
   */
  public WatchThread(String name, long intervalNs, Runnable look, String failure) {
    this.intervalNs = intervalNs;
    this.look = look;
    this.failure = failure;
    thread = new Thread(this::watch, name);
    thread.setDaemon(true);
  }

  /** Begins to look; once at the most. */
  public void start() {
    thread.start();
  }

  private void watch() {
    LockSupport.parkNanos(intervalNs);
    while (!isClosed) {
      try {
        look.run();
      } catch (RuntimeException | Error unexpected) {
        // Also of memory that a look lacked: what changes next may well be smaller.
        LOG.error(failure, unexpected);
      }
      LockSupport.parkNanos(intervalNs);
    }
  }

  /** Begins no other look; one that goes on is not waited for. Any thread, started or not. */
  @Override
  public void close() {
    isClosed = true;
    LockSupport.unpark(thread);
  }
}
