package dev.weir.proxy.virtual;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * An event loop without a thread: whoever calls it is on it, it runs its tasks when it is told to,
 * and its time passes when it is told to.
 */
public final class VirtualLoop extends AbstractScheduledEventExecutor implements EventLoop {
  /** More tasks in one turn are a loop that never ends. */
  private static final int MOST_TASKS = 10_000;

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final Promise<Void> end = new DefaultPromise<>(this);
  private long nowNs = 1;
  private final Ticker ticker =
      new Ticker() {
        @Override
        public long initialNanoTime() {
          return 0;
        }

        @Override
        public long nanoTime() {
          return nowNs;
        }

        @Override
        public void sleep(long delay, TimeUnit unit) {
          throw new UnsupportedOperationException();
        }
      };

  /** The time of its clock. */
  public long nowNs() {
    return nowNs;
  }

  /** Lets time pass; what is due then runs in the next turn. */
  void passUntil(long timeNs) {
    nowNs = Math.max(nowNs, timeNs);
  }

  /** When the next task is due; now at the earliest. */
  long nextNs() {
    return nowNs + Math.max(0, nextScheduledTaskNano());
  }

  /** Ends it: what Netty keeps for each event loop would keep all that hangs on this one. */
  void close() {
    end.setSuccess(null);
    turn();
  }

  /** Whether a turn would run something. */
  boolean hasTasks() {
    return !tasks.isEmpty() || hasScheduledTasks() && nextScheduledTaskNano() == 0;
  }

  /** Runs the tasks that are there, those that are due, and those that they leave. */
  void turn() {
    for (Runnable due = pollScheduledTask(nowNs); due != null; due = pollScheduledTask(nowNs)) {
      tasks.add(due);
    }
    int count = 0;
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      task.run();
      if (++count == MOST_TASKS) {
        throw new AssertionError("the event loop's tasks never end");
      }
    }
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  @Override
  public Ticker ticker() {
    return ticker;
  }

  @Override
  public boolean inEventLoop() {
    return true;
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return true;
  }

  @Override
  public EventLoopGroup parent() {
    return (EventLoopGroup) super.parent();
  }

  @Override
  public EventLoop next() {
    return (EventLoop) super.next();
  }

  @Override
  public ChannelFuture register(Channel channel) {
    return register(new DefaultChannelPromise(channel, this));
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    promise.channel().unsafe().register(this, promise);
    return promise;
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return register(promise);
  }

  @Override
  public boolean isShuttingDown() {
    return false;
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }

  @Override
  @Deprecated
  public void shutdown() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Future<?> terminationFuture() {
    return end;
  }
}
