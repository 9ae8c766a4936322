package dev.weir.algorithms;

import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Runs threads one at a time and decides before every access to shared memory, by a seed, who goes
 * on: any interleaving a sequentially consistent machine could show, and the same one again for the
 * same seed. (What weaker machines could show besides is for jcstress.)
 */
final class Interleaver {
  private final SplittableRandom random;
  private final Runnable[] tasks;
  private final Semaphore[] turns;
  private final boolean[] done;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final ThreadLocal<Integer> self = new ThreadLocal<>();

  /** Accesses until the next switch. Touched by the thread whose turn it is. */
  private int untilSwitch;

  Interleaver(long seed, Runnable... tasks) {
    random = new SplittableRandom(seed);
    this.tasks = tasks;
    turns = new Semaphore[tasks.length];
    done = new boolean[tasks.length];
  }

  void run() throws InterruptedException {
    final Thread[] threads = new Thread[tasks.length];
    for (int i = 0; i < threads.length; i++) {
      turns[i] = new Semaphore(0);
    }
    for (int i = 0; i < threads.length; i++) {
      final int id = i;
      threads[i] = new Thread(() -> runTask(id));
      threads[i].start();
    }
    turns[random.nextInt(threads.length)].release();
    for (Thread thread : threads) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
  }

  private void runTask(int id) {
    self.set(id);
    turns[id].acquireUninterruptibly();
    try {
      tasks[id].run();
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
    done[id] = true;
    final int next = another(id);
    if (next != id) {
      turns[next].release();
    }
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
    final Integer id = self.get();
    if (id == null || --untilSwitch > 0) {
      return;
    }
    // From one access to longer than anybody waits for anybody, each length as likely as its
    // double.
    untilSwitch = 1 + random.nextInt(1 << random.nextInt(12));
    final int next = another(id);
    if (next != id) {
      turns[next].release();
      turns[id].acquireUninterruptibly();
    }
  }

  /** Memory whose every shared access is a point at which threads may switch. */
  static final class Memory extends UnsafeBuffer {
    private Interleaver interleaver;

    Memory(int bytes) {
      super(new byte[bytes]);
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
