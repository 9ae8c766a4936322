package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import java.util.concurrent.TimeUnit;

/**
 * How long one request may wait, for whatever it is that it waits for: one thing at a time, and all
 * of it within the request's own deadline, if it has one. What is waited for, {@link
 * ProxiedRequest} knows, and does what is to be done when that takes too long.
 */
abstract class RequestTimes extends Deadlines.Waiter {
  /**
   * A last resort: whoever decides has deadlines of milliseconds, and tells of its own. Counts from
   * when a held request may pass.
   */
  private static final long VERDICT_NS = TimeUnit.SECONDS.toNanos(10);

  private final LoopClock clock;
  private final Deadlines deadlines;
  private final RequestTimeouts timeouts;
  private final HeldBytes held;
  private final BodyPace pace = new BodyPace();
  private boolean mayPause;

  /** Whether it is looked at; from the first wait on, and most requests have none. */
  private boolean isLookedAt;

  /** When the client waits no longer for the whole of its response. */
  private long endNs = Deadlines.NEVER;

  /**
   * @param held what either side holds, which says whom to wait for.
   */
  RequestTimes(RequestLoop loop, HeldBytes held) {
    this.clock = loop.clock;
    this.deadlines = loop.deadlines;
    this.timeouts = loop.timeouts;
    this.held = held;
  }

  /** A new request. */
  void start(IncomingRequest incoming, long nowNs) {
    mayPause = incoming.mayPause();
    endNs = deadlineNs(incoming, nowNs);
    if (hasEnd()) {
      join();
    }
    awaitNothing();
  }

  /** When the client waits no longer for the response, in the loop's time. */
  static long deadlineNs(IncomingRequest incoming, long nowNs) {
    long timeoutNs = incoming.timeoutNs();
    return timeoutNs < Deadlines.NEVER - nowNs ? nowNs + timeoutNs : Deadlines.NEVER;
  }

  /** Whether the client has said how long it waits for the whole of its response. */
  boolean hasEnd() {
    return endNs != Deadlines.NEVER;
  }

  /** When the client waits no longer, in the loop's time; or {@link Deadlines#NEVER}. */
  long endNs() {
    return endNs;
  }

  /** How long the client still waits, 0 or more; it has said how long in all. */
  long leftNs(long nowNs) {
    return Math.max(0, endNs - nowNs);
  }

  /** Whether the client waits no longer. */
  boolean isOver(long nowNs) {
    return endNs <= nowNs;
  }

  /** Waits for a verdict. */
  void awaitVerdict(long nowNs) {
    within(nowNs, VERDICT_NS);
  }

  /** Whether a request that is held until {@code dueNs} should have had its verdict long ago. */
  boolean isVerdictLate(long dueNs) {
    return dueNs <= clock.nowNs() - VERDICT_NS;
  }

  /** Waits for nothing of the client's: what is waited for has its own time. */
  void awaitNothing() {
    deadline(endNs);
  }

  private void within(long nowNs, long ns) {
    join();
    deadline(Math.min(nowNs + ns, endNs));
  }

  private void join() {
    if (!isLookedAt) {
      isLookedAt = true;
      deadlines.join(this);
    }
  }

  /** Starts measuring how fast the client sends its body. */
  void bodyBegins(long nowNs) {
    pace.begin(nowNs);
  }

  /** Some bytes of the body have come. */
  void bodyCame(int bytes) {
    pace.passed(bytes);
  }

  /** Whether a body that is gathered comes too slowly. */
  boolean isGatheredTooSlowly() {
    return pace.tooSlow(clock.nowNs(), timeouts.bodyNs(), BodyPace.MIN_GATHERED_BYTES_PER_SECOND);
  }

  /** Whether a body that a connection to the service waits for comes too slowly. */
  boolean isForwardedTooSlowly() {
    return !mayPause
        && pace.tooSlow(clock.nowNs(), timeouts.bodyNs(), BodyPace.MIN_FORWARDED_BYTES_PER_SECOND);
  }

  /** Waits for more of a body that is gathered. */
  void awaitGatheredBody() {
    within(clock.nowNs(), timeouts.bodyNs());
  }

  /**
   * Gives the client its time anew where it is the rest of the body that is waited for. A client
   * that does not take the response has had its time set when it stopped, and nothing that it sends
   * meanwhile gives it more. What the service does not take, or not answer, it has its own time
   * for.
   *
   * @param requestEnded whether the whole body has come.
   */
  void awaitForwardedBody(boolean requestEnded) {
    if (held.ofResponse() > 0) {
      return;
    }
    if (requestEnded || mayPause || held.ofRequest() > 0) {
      awaitNothing();
    } else {
      within(clock.nowNs(), timeouts.bodyNs());
    }
  }

  /** Waits for bytes through the tunnel. They do not excuse a client that takes none. */
  void awaitTunnel() {
    if (held.ofResponse() == 0) {
      within(clock.nowNs(), timeouts.tunnelIdleNs());
    }
  }

  /** Waits for the client to take what it holds of the response. */
  void awaitClient() {
    within(clock.nowNs(), timeouts.writeNs());
  }

  /** The request has ended, and its own deadline with it. */
  void ended() {
    endNs = Deadlines.NEVER;
    awaitNothing();
  }

  /** No request follows: it is looked at no more, until one does. */
  void leaveLoop() {
    ended();
    isLookedAt = false;
    leave();
  }
}
