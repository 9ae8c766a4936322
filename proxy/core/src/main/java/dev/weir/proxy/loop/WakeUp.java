package dev.weir.proxy.loop;

import io.netty.channel.EventLoop;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Runs a task on its event loop at the earliest of the times that were asked for, with one timer at
 * a time. For waits that need to be finer than {@link Deadlines}. Used by that loop only.
 */
public final class WakeUp {
  private final EventLoop eventLoop;
  private final LoopClock clock;
  private final Runnable task;
  private final Runnable onTimer = this::wake;
  private Future<?> timer;
  private long dueNs = Deadlines.NEVER;

  /**
   * @param task runs a little after its time, never before; it has to ask again for later times.
   */
  public WakeUp(EventLoop eventLoop, LoopClock clock, Runnable task) {
    this.eventLoop = eventLoop;
    this.clock = clock;
    this.task = task;
  }

  /**
   * Asks for a run.
   *
   * @param timeNs in the time of the clock; one that has passed means as soon as possible.
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
