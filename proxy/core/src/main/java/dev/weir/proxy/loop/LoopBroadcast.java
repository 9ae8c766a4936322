package dev.weir.proxy.loop;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/**
 * Runs tasks on all event loops, each on its own thread, and knows when all have run them. Tasks
 * have versions, from 1; a loop runs them in order, and acknowledges each. So a version that every
 * loop has acknowledged is in use everywhere, as are all versions before it. A loop whose task
 * throws does not acknowledge it, nor any later one.
 *
 * <p>Called by one thread at a time; acknowledgements can be read by any.
 *
 * @param <T> an event loop's own object.
 */
public final class LoopBroadcast<T> {
  private record Member<T>(EventExecutor loop, T part) {}

  private final List<Member<T>> members = new ArrayList<>();

  /** One per loop, written by that loop. */
  private AtomicLongArray acknowledged = new AtomicLongArray(0);

  private long told;

  /** Adds a loop, before the first task. */
  public void add(EventExecutor loop, T part) {
    members.add(new Member<>(loop, part));
    acknowledged = new AtomicLongArray(members.size());
  }

  /** Runs a task on every loop; returns its version. */
  public long tell(Consumer<T> task) {
    return tell(task, () -> {});
  }

  /**
   * Runs a task on every loop.
   *
   * @param done runs once all have run it, on the last loop.
   * @return its version.
   */
  public long tell(Consumer<T> task, Runnable done) {
    long version = ++told;
    AtomicInteger left = new AtomicInteger(members.size());
    for (int i = 0; i < members.size(); i++) {
      int at = i;
      Member<T> member = members.get(i);
      try {
        member.loop().execute(() -> run(member, at, version, task, left, done));
      } catch (RejectedExecutionException ended) {
        // The process is ending: this loop does nothing any more, and all are never done.
      }
    }
    return version;
  }

  private void run(
      Member<T> member, int at, long version, Consumer<T> task, AtomicInteger left, Runnable done) {
    try {
      task.accept(member.part());
      acknowledged.compareAndSet(at, version - 1, version);
      if (left.decrementAndGet() == 0) {
        done.run();
      }
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("what is told to every event loop", bug);
    }
  }

  /** The last version that every loop has acknowledged; 0 if there is none yet. */
  public long acknowledged() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < acknowledged.length(); i++) {
      least = Math.min(least, acknowledged.get(i));
    }
    return acknowledged.length() == 0 ? 0 : least;
  }
}
