package dev.weir.algorithms;

import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Runs threads one at a time and decides before every access to shared memory, by a seed, who goes
 * on: any interleaving a sequentially consistent machine could show, and the same one again for the
 * same seed. (What weaker machines could show besides is for jcstress.)
 */
final class Interleaver {
  /** Kept for the next schedule: to start a thread takes longer than most schedules. */
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            final Thread thread = new Thread(task, "interleaved");
            thread.setDaemon(true);
            return thread;
          });

  /** The task of the thread that calls {@link #run}. */
  private static final int CALLER = 0;

  private static final int NOBODY = -1;
  private static final int ALL_DONE = -2;

  /** Some microseconds: a turn is mostly over before a thread that is parked could wake up. */
  private static final int SPINS = 200;

  private final SplittableRandom random;
  private final Runnable[] tasks;

  /** All but {@link #turn} are touched by the thread whose turn it is. */
  private final Thread[] threads;

  private final boolean[] done;
  private Throwable failure;
  private int accessesUntilSwitch;

  /** The task whose turn it is. */
  private volatile int turn = NOBODY;

  Interleaver(long seed, Runnable... tasks) {
    random = new SplittableRandom(seed);
    this.tasks = tasks;
    threads = new Thread[tasks.length];
    done = new boolean[tasks.length];
  }

  void run() {
    threads[CALLER] = Thread.currentThread();
    pass(random.nextInt(tasks.length));
    runTask(CALLER);
    await(ALL_DONE);
    if (failure != null) {
      throw new AssertionError(failure);
    }
  }

  private void pass(int next) {
    final Thread thread = threads[next == ALL_DONE ? CALLER : next];
    turn = next;
    if (thread == null) {
      THREADS.execute(() -> runTask(next));
    } else {
      LockSupport.unpark(thread);
    }
  }

  private void await(int wanted) {
    for (int i = 0; turn != wanted; i++) {
      if (i < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.park(this);
      }
    }
  }

  private void runTask(int id) {
    await(id);
    threads[id] = Thread.currentThread();
    try {
      tasks[id].run();
    } catch (Throwable e) {
      failure = failure == null ? e : failure;
    }
    done[id] = true;
    final int next = another(id);
    pass(next == id ? ALL_DONE : next);
  }

  /** One that is not done, other than {@code id} if there is one. */
  private int another(int id) {
    final int start = random.nextInt(tasks.length);
    for (int i = 0; i < tasks.length; i++) {
      final int candidate = (start + i) % tasks.length;
      if (candidate != id && !done[candidate]) {
        return candidate;
      }
    }
    return id;
  }

  private void beforeAccess() {
    if (--accessesUntilSwitch > 0) {
      return;
    }
    // From one access to longer than anybody waits for anybody, each length as likely as its
    // double.
    accessesUntilSwitch = 1 + random.nextInt(1 << random.nextInt(12));
    final int id = turn;
    final int next = another(id);
    if (next != id) {
      pass(next);
      await(id);
    }
  }

  /** Memory whose every shared access is a point at which threads may switch. */
  static class Memory extends UnsafeBuffer {
    private Interleaver interleaver;

    Memory(int bytes) {
      super(new byte[bytes]);
    }

    /** A table without rings whose slots are here. */
    LimitTable table() {
      return table(new Memory(0));
    }

    /** A table whose slots are here, and its rings in {@code cells}. */
    LimitTable table(Memory cells) {
      final Memory overflow = new Memory(cells.capacity());
      return new LimitTable(TableMemory.of(this, cells, new Memory(capacity()), overflow));
    }

    void interleaver(Interleaver interleaver) {
      this.interleaver = interleaver;
    }

    private void beforeAccess() {
      if (interleaver != null) {
        interleaver.beforeAccess();
      }
    }

    @Override
    public long getLongAcquire(int index) {
      beforeAccess();
      return super.getLongAcquire(index);
    }

    @Override
    public void putLongOpaque(int index, long value) {
      beforeAccess();
      super.putLongOpaque(index, value);
    }

    @Override
    public boolean compareAndSetLong(int index, long expected, long update) {
      beforeAccess();
      return super.compareAndSetLong(index, expected, update);
    }
  }
}
