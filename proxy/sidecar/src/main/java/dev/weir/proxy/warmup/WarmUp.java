package dev.weir.proxy.warmup;

import dev.weir.proxy.traffic.Traffic;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The warm-up of a sidecar: a few exchanges before clients can connect, and more until the first
 * client has connected or {@link #REST_NS} are over. The second sidecar is closed only then, as
 * that is work for which a first request would have to wait.
 */
public final class WarmUp implements AutoCloseable {
  /** Exchanges before clients can connect; the first ones are many times slower than later ones. */
  private static final int FIRST_EXCHANGES = 8;

  /** The longest that clients wait for that. */
  private static final long FIRST_NS = 500_000_000;

  /** How long it goes on while no client comes. */
  private static final long REST_NS = 2_000_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

  /** Null once the warm-up has ended, so that its memory is freed. */
  private volatile Traffic traffic;

  private Runnable takeDown;
  private volatile int answeredCount;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private Thread thread;

  /**
   * @param traffic with connected clients; closed at the end.
   * @param takeDown closes the second sidecar; run once, by the thread that closes this or by one
   *     of its own.
   */
  public WarmUp(Traffic traffic, Runnable takeDown) {
    this.traffic = traffic;
    this.takeDown = takeDown;
  }

  /**
   * Does a few exchanges.
   *
   * @return whether they succeeded; if not, the reason was logged, and all is closed.
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
   * Goes on, on a thread of its own; once, after {@link #begin}. From now on the JVM's compiler has
   * a lower priority than requests.
   *
   * @param isInUse whether a client is connected; checked between exchanges.
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

  /** Waits until the warm-up has ended. */
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
