package dev.weir.proxy.loop;

import io.netty.channel.EventLoop;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The deadlines of everything that waits on one event loop. A deadline is a field: setting, moving
 * or clearing it costs one write, and nothing is scheduled or cancelled for a request. One sweep
 * every {@link #SWEEP_MS} ms checks all waiters; a deadline is noticed at most that much late.
 */
public final class Deadlines {
  /** The time between two sweeps. */
  public static final int SWEEP_MS = 50;

  /** No deadline. */
  public static final long NEVER = Long.MAX_VALUE;

  private final LoopClock clock;
  private final Waiter head = new Sentinel();
  private Future<?> sweeping;

  /** Written by the event loop only. */
  private volatile long sweepCount;

  public Deadlines(LoopClock clock) {
    this.clock = clock;
    head.next = head;
    head.previous = head;
  }

  /** Starts sweeping on {@code eventLoop}, which is the only thread that may use this. */
  public void start(EventLoop eventLoop) {
    sweeping =
        eventLoop.scheduleWithFixedDelay(this::sweep, SWEEP_MS, SWEEP_MS, TimeUnit.MILLISECONDS);
  }

  /** Stops sweeping; on the event loop, which goes on. */
  public void stop() {
    sweeping.cancel(false);
  }

  /** The number of sweeps: while it grows, the event loop turns. Any thread. */
  public long sweepCount() {
    return sweepCount;
  }

  /** Adds a waiter, which is checked in every sweep until {@link Waiter#leave}. */
  public void join(Waiter waiter) {
    waiter.previous = head.previous;
    waiter.next = head;
    head.previous.next = waiter;
    head.previous = waiter;
  }

  /** The number of waiters. */
  public int count() {
    int count = 0;
    for (Waiter waiter = head.next; waiter != head; waiter = waiter.next) {
      count++;
    }
    return count;
  }

  /** The number of waiters that have a deadline. */
  public int armedCount() {
    int count = 0;
    for (Waiter waiter = head.next; waiter != head; waiter = waiter.next) {
      if (waiter.deadlineNs != NEVER) {
        count++;
      }
    }
    return count;
  }

  private void sweep() {
    sweepCount = sweepCount + 1;
    long nowNs = clock.tick();
    for (Waiter waiter = head.next; waiter != head; ) {
      Waiter next = waiter.next; // before the call: it may leave
      if (waiter.deadlineNs <= nowNs) {
        waiter.deadlineNs = NEVER;
        expire(waiter);
      }
      waiter = next.previous == null ? head : next; // the call made even the next one leave
    }
  }

  /** Runs a waiter's action; an exception does not keep others from their deadlines. */
  private static void expire(Waiter waiter) {
    try {
      waiter.onDeadline();
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a deadline's callback", bug);
    }
  }

  /** Something that may have a deadline. */
  public abstract static class Waiter {
    private Waiter previous;
    private Waiter next;
    private long deadlineNs = NEVER;

    /**
     * @param deadlineNs in the time of the {@link LoopClock}, or {@link #NEVER}.
     */
    protected final void deadline(long deadlineNs) {
      this.deadlineNs = deadlineNs;
    }

    /** The deadline has passed, and is cleared. */
    protected abstract void onDeadline();

    /** Removes this waiter from the sweeps. */
    public final void leave() {
      if (previous != null) {
        previous.next = next;
        next.previous = previous;
        previous = null;
        next = null;
      }
    }
  }

  /** A waiter that runs a task at its deadline. */
  public static final class Timer extends Waiter {
    private final Runnable task;

    public Timer(Runnable task) {
      this.task = task;
    }

    /** Waits until a time of the {@link LoopClock}, and for no other; or {@link #NEVER}. */
    public void until(long timeNs) {
      deadline(timeNs);
    }

    @Override
    protected void onDeadline() {
      task.run();
    }
  }

  private static final class Sentinel extends Waiter {
    @Override
    protected void onDeadline() {
      throw new AssertionError("the sentinel has no deadline");
    }
  }
}
