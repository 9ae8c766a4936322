package dev.weir.bench.store;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.request.StoreObserver;
import io.netty.channel.EventLoop;
import java.lang.management.ManagementFactory;

/** Processor time of an event loop for decisions, and the batches in which they travel. */
final class LoopMeter implements StoreObserver {
  private final EventLoop eventLoop;
  private volatile long batches;
  private volatile long requests;

  LoopMeter(EventLoop eventLoop) {
    this.eventLoop = eventLoop;
  }

  /**
   * Figures of the loop so far.
   *
   * @param cpuNs processor time of its thread.
   * @param bytes allocated by its thread.
   */
  record Reading(long cpuNs, long bytes, long batches, long requests) {}

  Reading read() {
    return eventLoop
        .submit(
            () -> {
              final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
              return new Reading(
                  threads.getCurrentThreadCpuTime(),
                  threads.getCurrentThreadAllocatedBytes(),
                  batches,
                  requests);
            })
        .awaitUninterruptibly()
        .getNow();
  }

  @Override
  public void storeSent(int checkCount, int requestCount) {
    batches++;
    requests += requestCount;
  }
}
