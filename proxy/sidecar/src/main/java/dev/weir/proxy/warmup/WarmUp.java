package dev.weir.proxy.warmup;

import dev.weir.proxy.traffic.Traffic;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time in which a sidecar is warmed up: a few exchanges before clients can come, and more until
 * the first of them has come or {@link #REST_NS} are over. What was warmed up beside is taken down
 * at that time and no sooner: it is work too, which a first request would wait for.
 */
public final class WarmUp implements AutoCloseable {
  /** Exchanges before clients can come: each of these is many times slower than those behind. */
  private static final int FIRST_EXCHANGES = 8;

  /** The longest that clients wait for that. */
  private static final long FIRST_NS = 500_000_000;

  /** How long it goes on while no client comes. */
  private static final long REST_NS = 2_000_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /** Null once it has ended, as what was taken down: nobody needs their memory then. */
  private volatile Traffic traffic;

  private Runnable takeDown;
  private volatile int answeredCount;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private Thread thread;

  /**
   * @param traffic whose clients are connected; is closed at the end.
   * @param takeDown ends what was made for it; run once, by the thread that closes this or by one
   *     of its own.
   */
  public WarmUp(Traffic traffic, Runnable takeDown) {
    this.traffic = traffic;
    this.takeDown = takeDown;
  }

  /**
   * Exchanges a few.
   *
   * @return whether that went as it should; if not, why has been logged, and all is taken down.
   */
  public boolean begin() {
    long untilNs = System.nanoTime() + FIRST_NS;
    try {
      for (int i = 0; i < FIRST_EXCHANGES && traffic.exchange(untilNs); i++) {
        continue;
      }
      return true;
    } catch (IOException | RuntimeException e) {
      tell(e);
      end();
      return false;
    }
  }

  private static void tell(Exception why) {
    String reason = why instanceof IOException ? why.getMessage() : why.toString();
    LOG.info("not warmed up, so that the first requests are slower: {}", reason);
  }

  /**
   * Goes on, on a thread of its own; once, after {@link #begin}. From now on the virtual machine's
   * compiler steps back for requests.
   *
   * @param isInUse whether somebody is connected; asked between exchanges.
   */
  public void goOn(BooleanSupplier isInUse) {
    thread =
        new Thread(
            () -> {
              try {
                CompilerThreads.stepBack();
                exchange(isInUse);
              } finally {
                end();
              }
            },
            "weir-warm-up");
    thread.setDaemon(true);
    thread.start();
  }

  private void exchange(BooleanSupplier isInUse) {
    long untilNs = System.nanoTime() + REST_NS;
    try {
      while (!isInUse.getAsBoolean() && traffic.exchange(untilNs)) {
        continue;
      }
      closing.await(untilNs - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (IOException | RuntimeException e) {
      tell(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void end() {
    Traffic over = traffic;
    try {
      takeDown.run();
    } finally {
      over.close();
      answeredCount = over.answeredCount();
      traffic = null;
      takeDown = null;
      ended.countDown();
    }
  }

  /** Waits until it has ended by itself. */
  public void awaitEnd() throws InterruptedException {
    ended.await();
  }

  /** How many requests have been answered. Any thread. */
  public int requestCount() {
    Traffic going = traffic;
    return going == null ? answeredCount : going.answeredCount();
  }

  /** Ends it now; returns when all is taken down. */
  @Override
  public void close() {
    closing.countDown();
    Traffic going = traffic;
    if (going != null) {
      going.stop();
    }
    if (thread == null) {
      if (ended.getCount() > 0) {
        end();
      }
      return;
    }
    boolean isInterrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
