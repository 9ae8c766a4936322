package dev.weir.proxy.loop;

import io.netty.channel.EventLoop;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Runs a task on its event loop at the earliest of the times that were asked for: one timer at a
 * time, however many wait. For waits that {@link Deadlines} is too coarse for. Used by that loop
 * only.
 */
public final class WakeUp {
  private final EventLoop eventLoop;
  private final LoopClock clock;
  private final Runnable task;
  private final Runnable onTimer = this::wake;
  private Future<?> timer;
  private long dueNs = Deadlines.NEVER;

  /**
   * @param task is run a little after its time, never before; has to ask again for what is later.
   */
  public WakeUp(EventLoop eventLoop, LoopClock clock, Runnable task) {
    this.eventLoop = eventLoop;
    this.clock = clock;
    this.task = task;
  }

  /**
   * Asks for a run.
   *
   * @param timeNs in the time of the clock; one that has passed means as soon as may be.
   */
  public void at(long timeNs) {
    if (timeNs >= dueNs) {
      return;
    }
    if (timer != null) {
      timer.cancel(false);
    }
    dueNs = timeNs;
    timer = eventLoop.schedule(onTimer, Math.max(timeNs - clock.nowNs(), 0), TimeUnit.NANOSECONDS);
  }

  private void wake() {
    timer = null;
    dueNs = Deadlines.NEVER;
    try {
      task.run();
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a timer's task", bug); // the timer would keep it to itself
    }
  }
}
