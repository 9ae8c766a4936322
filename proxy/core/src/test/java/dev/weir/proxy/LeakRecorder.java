package dev.weir.proxy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Netty's leak detector, with an end: leaks are kept rather than logged, so that a test can fail
 * over them. The build names it in {@code io.netty.customResourceLeakDetector}, at level paranoid.
 */
public final class LeakRecorder<T> extends ResourceLeakDetector<T> {
  private static final String CANARY = "a buffer leaked on purpose, number ";
  private static final AtomicInteger CANARIES = new AtomicInteger();
  private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

  public LeakRecorder(Class<?> resourceType, int samplingInterval) {
    super(resourceType, samplingInterval);
  }

  /** Netty looks for this one first, of earlier versions, and logs an error where there is none. */
  public LeakRecorder(Class<?> resourceType, int samplingInterval, long maxActive) {
    this(resourceType, samplingInterval);
  }

  @Override
  protected boolean needReport() {
    return true;
  }

  @Override
  protected void reportTracedLeak(String resourceType, String records) {
    if (!isOfEndedLoop(records)) {
      LEAKS.add(resourceType + records);
    }
  }

  /**
   * Whether a read of io_uring has taken the buffer and nobody was handed it: Netty does not give
   * back one of a read that was under way when its event loop ended. A handler leaves a record.
   */
  private static boolean isOfEndedLoop(String records) {
    return records.contains("IoUringStreamUnsafe.scheduleRead0(") && !records.contains("#1:");
  }

  @Override
  protected void reportUntracedLeak(String resourceType) {
    LEAKS.add(resourceType);
  }

  /** Fails if a buffer was leaked since the start of the JVM, or since {@link #forget}. */
  public static void assertNone() throws InterruptedException {
    String leaks = take();
    if (!leaks.isEmpty()) {
      throw new AssertionError("leaked: " + leaks);
    }
  }

  /** Leaks until now are none of the caller's: classes of tests share a JVM in any order. */
  public static void forget() throws InterruptedException {
    take();
  }

  /** Leaks one itself, and is sure of its finding only once that one has been found. */
  private static String take() throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    // Netty reports no two leaks with the same records, and these have the same stack.
    String canary = CANARY + CANARIES.incrementAndGet() + ".";
    leak(canary);
    StringBuilder leaks = new StringBuilder();
    boolean canaryFound = false;
    while (!canaryFound) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("the leak detector does not work: is it named in argLine?");
      }
      System.gc();
      TimeUnit.MILLISECONDS.sleep(10);
      ByteBufAllocator.DEFAULT.directBuffer(8).release(); // the detector reports when it is used
      for (String leak = LEAKS.poll(); leak != null; leak = LEAKS.poll()) {
        if (leak.contains(canary)) {
          canaryFound = true;
        } else {
          leaks.append(leak).append('\n');
        }
      }
    }
    return leaks.toString();
  }

  private static void leak(String canary) {
    ByteBufAllocator.DEFAULT.directBuffer(8).touch(canary);
  }
}
