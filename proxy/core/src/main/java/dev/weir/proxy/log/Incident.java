package dev.weir.proxy.log;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Something that is wrong for a while, for the log: one WARN when it begins, with its cause, and
 * one INFO when it has ended, with how often it was noticed and how long it lasted. Another cause
 * of an incident is told once too. Any thread.
 *
 * <p>To notice an incident that goes on, or that there is none, costs a read and a count: neither
 * allocates nor locks.
 *
 * <p>An incident {@linkplain Ends#BY_WORD ends by word} of whoever sees that all is well again, or
 * {@linkplain Ends#BY_QUIET by quiet}. What comes back before its end was told goes on; and the
 * sooner it comes back, the longer the next end waits: so what comes and goes without end is two
 * lines a minute.
 */
public final class Incident {
  /** How it is known that an incident has ended. */
  public enum Ends {
    /** {@link #ended} says so, and a while without another notice. */
    BY_WORD,

    /** The incident has not been noticed for a minute. */
    BY_QUIET
  }

  /** Causes of one incident that are told; of others only the count is. */
  static final int MOST_CAUSES = 8;

  /** The least that an end by word waits, to be told. */
  static final long LEAST_SETTLE_NS = TimeUnit.SECONDS.toNanos(1);

  /** The most that an end waits, to be told. */
  static final long MOST_SETTLE_NS = TimeUnit.MINUTES.toNanos(1);

  private static final String[] NONE = {};

  /** Runs a task later, on whatever thread. */
  public interface Timer {
    void after(long delayNs, Runnable task);
  }

  /** A timer that keeps no process alive. */
  public static final Timer ON_A_DAEMON_THREAD =
      (delayNs, task) ->
          CompletableFuture.delayedExecutor(delayNs, TimeUnit.NANOSECONDS).execute(task);

  private final Logger log;
  private final String subject;
  private final String consequence;
  private final String over;
  private final Ends ends;
  private final LongSupplier clockNs;
  private final Timer timer;

  /** Notices since it began. */
  private final AtomicLong count = new AtomicLong();

  /** The causes that were told; none if there is no incident. Replaced whole, under the lock. */
  private volatile String[] told = NONE;

  /** Whether it was said to have ended after the last notice. */
  private volatile boolean isOver;

  private volatile long noticedNs;

  // Under the lock.
  private long beganNs;
  private long overNs;
  private long settleNs;
  private long lastEndNs;
  private boolean hasEndedBefore;
  private boolean isWatched;

  /**
   * An incident that has not begun.
   *
   * @param subject what it happens to, as its lines begin: {@code upstream 10.0.0.1:80}.
   * @param consequence of it for requests, or what to do; it follows the cause.
   * @param over what is so again when it has ended: {@code connected again}.
   */
  public Incident(Logger log, String subject, String consequence, String over, Ends ends) {
    this(log, subject, consequence, over, ends, System::nanoTime, ON_A_DAEMON_THREAD);
  }

  /**
   * An incident that has not begun, on a clock of its own.
   *
   * @param clockNs monotonic.
   */
  public Incident(
      Logger log,
      String subject,
      String consequence,
      String over,
      Ends ends,
      LongSupplier clockNs,
      Timer timer) {
    this.log = log;
    this.subject = subject;
    this.consequence = consequence;
    this.over = over;
    this.ends = ends;
    this.clockNs = clockNs;
    this.timer = timer;
  }

  /**
   * Notices that something is wrong.
   *
   * @param cause as the log shows it; the same text for the same cause.
   */
  public void noticed(String cause) {
    noticed(cause, 1);
  }

  /** Notices that something has been wrong so many times. */
  public void noticed(String cause, long times) {
    noticed(cause, times, 0);
  }

  /**
   * Notices that something is wrong.
   *
   * @param times how often it has happened.
   * @param sinceNs how long it has been so.
   */
  public void noticed(String cause, long times, long sinceNs) {
    noticedNs = clockNs.getAsLong();
    String[] known = told;
    if (known.length == MOST_CAUSES || isAmong(known, cause)) {
      count.addAndGet(times);
      if (isOver) {
        isOver = false;
      }
    } else {
      tell(cause, times, sinceNs);
    }
  }

  private static boolean isAmong(String[] known, String cause) {
    for (String each : known) {
      if (each.equals(cause)) {
        return true;
      }
    }
    return false;
  }

  private void tell(String cause, long times, long sinceNs) {
    synchronized (this) {
      if (told.length == 0) {
        begin(sinceNs);
      }
      count.addAndGet(times);
      isOver = false;
      if (told.length == MOST_CAUSES || isAmong(told, cause)) {
        return; // by another thread, meanwhile
      }
      String[] more = Arrays.copyOf(told, told.length + 1);
      more[told.length] = cause;
      told = more;
    }
    log.warn("{}: {}; {}", subject, PeerText.shown(cause), consequence);
  }

  private void begin(long sinceNs) {
    beganNs = noticedNs - sinceNs;
    count.set(0);
    boolean isBack = hasEndedBefore && noticedNs - lastEndNs < MOST_SETTLE_NS;
    if (ends == Ends.BY_QUIET) {
      settleNs = MOST_SETTLE_NS;
      watch(settleNs);
    } else {
      settleNs = isBack ? Math.min(2 * settleNs, MOST_SETTLE_NS) : LEAST_SETTLE_NS;
    }
  }

  /** Whether it goes on, or has ended and that was not told yet. */
  public boolean isOn() {
    return told.length > 0;
  }

  /** All is well again, as far as can be seen now. */
  public void ended() {
    if (told.length > 0 && !isOver) {
      end();
    }
  }

  private synchronized void end() {
    if (told.length > 0 && !isOver) {
      isOver = true;
      overNs = clockNs.getAsLong();
      watch(settleNs);
    }
  }

  /** Looks whether it has ended, that much later; one look waits at a time. */
  private void watch(long delayNs) {
    if (!isWatched) {
      isWatched = true;
      timer.after(delayNs, this::look);
    }
  }

  private void look() {
    String line;
    synchronized (this) {
      isWatched = false;
      if (ends == Ends.BY_WORD && !isOver) {
        return;
      }
      long sinceNs = ends == Ends.BY_WORD ? overNs : noticedNs;
      long nowNs = clockNs.getAsLong();
      long leftNs = sinceNs + settleNs - nowNs;
      if (leftNs > 0) {
        watch(leftNs);
        return;
      }
      line = line(sinceNs - beganNs);
      told = NONE;
      isOver = false;
      hasEndedBefore = true;
      lastEndNs = nowNs;
    }
    log.info(line);
  }

  private String line(long lengthNs) {
    long times = count.get();
    String length = text(lengthNs);
    String before = times == 1 ? "once, for " + length : times + " times in " + length;
    return subject + ": " + over + "; it happened " + before;
  }

  /** A length of time as people say it: {@code 12.3 s}, {@code 5 min 3 s}. */
  static String text(long ns) {
    Duration length = Duration.ofNanos(ns);
    if (length.toMinutes() == 0) {
      long tenths = TimeUnit.NANOSECONDS.toMillis(ns) / 100;
      return tenths / 10 + "." + tenths % 10 + " s";
    }
    if (length.toHours() == 0) {
      return length.toMinutes() + " min " + length.toSecondsPart() + " s";
    }
    return length.toHours() + " h " + length.toMinutesPart() + " min";
  }
}
