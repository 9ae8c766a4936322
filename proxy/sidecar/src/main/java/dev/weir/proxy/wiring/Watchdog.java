package dev.weir.proxy.wiring;

import dev.weir.proxy.log.Incident;
import dev.weir.proxy.log.Incident.Ends;
import dev.weir.proxy.watch.WatchThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the event loops from a thread of its own, which is none of them: a loop that does not
 * turn can say nothing. It is stuck if it has not swept its deadlines between {@link #STUCK_LOOKS}
 * looks, which are {@link #STUCK_NS} apart at least. Looks are counted, not time: a process that
 * was stopped as a whole, or paused to collect garbage, was not looked at either.
 *
 * <p>A second thread tells the log, as standard error may be a pipe that nobody reads: the first
 * one never waits for it. The second one also looks at counters of what should not happen, and
 * tells the log while they grow: so the loops do nothing for that.
 */
public final class Watchdog implements AutoCloseable {
  /** Looks in a row that find a loop where it was, before it is stuck. */
  public static final int STUCK_LOOKS = 12;

  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(250);

  /** How long a stuck loop has not turned, at least. */
  static final long STUCK_NS = STUCK_LOOKS * LOOK_NS;

  private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);

  private final List<WatchedLoop> loops = new ArrayList<>();
  private final List<WatchedCounter> counters = new ArrayList<>();
  private final WatchThread thread =
      new WatchThread("weir-watchdog", LOOK_NS, this::look, "watchdog: a look failed");
  private final WatchThread teller =
      new WatchThread("weir-watchdog-log", LOOK_NS, this::tell, "watchdog: a look failed");

  /** Why the process is not alive; null while all loops turn. */
  private volatile String fault;

  private volatile int stuckCount;

  /** Watches an event loop; before it is started. */
  public void watch(String name, LongSupplier turns, Supplier<StackTraceElement[]> stack) {
    loops.add(new WatchedLoop(name, turns, stack));
  }

  /**
   * Watches a counter that should not grow; before it is started.
   *
   * @param subject whose counter it is, as the log's line begins.
   * @param cause what happens when it grows.
   * @param consequence for requests, or what to do.
   */
  public void watch(String subject, String cause, String consequence, LongSupplier count) {
    counters.add(
        new WatchedCounter(
            count,
            cause,
            new Incident(
                LOG,
                subject,
                consequence,
                "not seen for a minute (" + cause + ")",
                Ends.BY_QUIET)));
  }

  void start() {
    thread.start();
    teller.start();
  }

  /** Looks at the loops once, and logs nothing; by the first thread. */
  public void look() {
    List<WatchedLoop> stuck = new ArrayList<>();
    for (WatchedLoop loop : loops) {
      loop.look();
      if (loop.isStuck()) {
        stuck.add(loop);
      }
    }
    fault = stuck.isEmpty() ? null : text(stuck);
    stuckCount = stuck.size();
  }

  /** Tells the log of loops and counters; by the second thread. */
  public void tell() {
    loops.forEach(WatchedLoop::tell);
    counters.forEach(WatchedCounter::look);
  }

  private static String text(List<WatchedLoop> stuck) {
    List<String> names = stuck.stream().map(loop -> loop.name).toList();
    return "event loop "
        + String.join(", ", names)
        + ": has not turned for "
        + TimeUnit.NANOSECONDS.toSeconds(STUCK_NS)
        + " s or more";
  }

  /** Why the process is not alive, to be told to whoever asks; null if it is. Any thread. */
  public String fault() {
    return fault;
  }

  /** How many event loops are stuck. Any thread. */
  public int stuckCount() {
    return stuckCount;
  }

  /** Looks no more. */
  @Override
  public void close() {
    thread.close();
    teller.close();
  }

  private static final class WatchedLoop {
    private final String name;
    private final LongSupplier turns;
    private final Supplier<StackTraceElement[]> stack;
    private final Incident incident;
    private long lastTurns;

    /** How many looks in a row have found the loop where it was; written by the first thread. */
    private volatile int looks;

    private boolean isTold;

    WatchedLoop(String name, LongSupplier turns, Supplier<StackTraceElement[]> stack) {
      this.name = name;
      this.turns = turns;
      this.stack = stack;
      this.incident =
          new Incident(
              LOG,
              "event loop " + name,
              "its clients wait, and /livez is 503",
              "turns again",
              Ends.BY_WORD);
      lastTurns = turns.getAsLong();
    }

    public void look() {
      long now = turns.getAsLong();
      looks = now == lastTurns ? looks + 1 : 0;
      lastTurns = now;
    }

    boolean isStuck() {
      return looks >= STUCK_LOOKS;
    }

    void tell() {
      boolean isStuck = isStuck();
      if (isStuck && !isTold) {
        incident.noticed("has not turned for 3 s, it is at " + where(stack.get()), 1, STUCK_NS);
      } else if (!isStuck) {
        incident.ended();
      }
      isTold = isStuck;
    }

    /** The innermost frame, and the innermost one of ours. */
    private static String where(StackTraceElement[] stack) {
      if (stack.length == 0) {
        return "no frame";
      }
      String innermost = text(stack[0]);
      for (StackTraceElement frame : stack) {
        if (frame.getClassName().startsWith("dev.weir.")) {
          return frame == stack[0] ? innermost : innermost + ", called by " + text(frame);
        }
      }
      return innermost;
    }

    private static String text(StackTraceElement frame) {
      String name = frame.getClassName();
      String method = name.substring(name.lastIndexOf('.') + 1) + "." + frame.getMethodName();
      return method + ":" + frame.getLineNumber();
    }
  }

  private static final class WatchedCounter {
    private final LongSupplier count;
    private final String cause;
    private final Incident incident;
    private long last;

    WatchedCounter(LongSupplier count, String cause, Incident incident) {
      this.count = count;
      this.cause = cause;
      this.incident = incident;
      last = count.getAsLong();
    }

    public void look() {
      long now = count.getAsLong();
      if (now > last) {
        incident.noticed(cause, now - last);
      }
      last = now;
    }
  }
}
