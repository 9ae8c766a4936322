package dev.weir.proxy.api;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A thread of the API, with a bounded queue. It ends while there is nothing to do. */
public final class ApiThread implements Executor, AutoCloseable {
  /** As many as there are connections. */
  public static final int MAX_QUEUED = 64;

  /** Batches may have 8 MiB each. */
  static final int MAX_QUEUED_LONG = 4;

  private static final long IDLE_SECONDS = 10;

  private final ThreadPoolExecutor thread;

  /**
   * @param mostQueued beside the one that runs.
   */
  public ApiThread(String name, int mostQueued) {
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(mostQueued),
            new DefaultThreadFactory(name, true));
    thread.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs something later.
   *
   * @throws RejectedExecutionException if the queue is full, or the thread closed.
   */
  @Override
  public void execute(Runnable task) {
    thread.execute(task);
  }

  /** Interrupts what runs, and runs nothing more. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}
