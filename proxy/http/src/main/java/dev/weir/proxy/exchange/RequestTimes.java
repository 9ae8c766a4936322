package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import java.util.concurrent.TimeUnit;

/**
 * The deadline of what one request waits for now, and the request's own deadline ({@code
 * grpc-timeout}), if it has one. A request waits for one thing at a time. {@link ProxiedRequest}
 * knows what that is, and what to do when the deadline has passed.
 */
final class RequestTimes extends Deadlines.Waiter {
  /**
   * A last resort for a verdict that never comes: admission has deadlines of milliseconds and
   * reports them itself. For a request held in a queue it counts from its slot.
   */
  private static final long VERDICT_NS = TimeUnit.SECONDS.toNanos(10);

  private final LoopClock clock;
  private final Deadlines deadlines;
  private final RequestTimeouts timeouts;
  private final HeldBytes held;
  private final Runnable onDeadline;
  private final BodyPace pace = new BodyPace();
  private boolean mayPause;

  /**
   * Whether the loop checks this request's deadline: from its first wait on; most requests never
   * wait.
   */
  private boolean isLookedAt;

  /** When the client stops waiting for its whole response. */
  private long endNs = Deadlines.NEVER;

  /**
   * @param held bytes that either side holds, which say whom the request waits for.
   */
  RequestTimes(RequestLoop loop, HeldBytes held, Runnable onDeadline) {
    this.onDeadline = onDeadline;
    this.clock = loop.clock;
    this.deadlines = loop.deadlines;
    this.timeouts = loop.timeouts;
    this.held = held;
  }

  /** Starts a new request. */
  void start(IncomingRequest incoming, long nowNs) {
    mayPause = incoming.mayPause();
    endNs = deadlineNs(incoming, nowNs);
    if (hasEnd()) {
      join();
    }
    awaitNothing();
  }

  /** When the client stops waiting for the response, in the loop's time. */
  static long deadlineNs(IncomingRequest incoming, long nowNs) {
    long timeoutNs = incoming.timeoutNs();
    return timeoutNs < Deadlines.NEVER - nowNs ? nowNs + timeoutNs : Deadlines.NEVER;
  }

  /** Whether the client has said how long it waits for its whole response. */
  boolean hasEnd() {
    return endNs != Deadlines.NEVER;
  }

  /** When the client stops waiting, in the loop's time; or {@link Deadlines#NEVER}. */
  long endNs() {
    return endNs;
  }

  /** How long the client still waits, 0 or more; only if {@link #hasEnd}. */
  long leftNs(long nowNs) {
    return Math.max(0, endNs - nowNs);
  }

  /** Whether the client has stopped waiting. */
  boolean isOver(long nowNs) {
    return endNs <= nowNs;
  }

  void awaitVerdict(long nowNs) {
    within(nowNs, VERDICT_NS);
  }

  /**
   * Whether a request that is held in a queue until {@code dueNs} should have had its verdict long
   * ago.
   */
  boolean isVerdictLate(long dueNs) {
    return dueNs <= clock.nowNs() - VERDICT_NS;
  }

  /** Waits for nothing that the client has to do. */
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

  /** Counts bytes of the body that have arrived. */
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
   * Restarts the client's time if the request waits for the rest of its body. A client that does
   * not read its response has had its time set when it stopped reading, and gets no more for what
   * it sends meanwhile. Waits for the service have times of their own.
   *
   * @param requestEnded whether the whole body has arrived.
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

  /** Waits for bytes of the tunnel. They do not excuse a client that reads none. */
  void awaitTunnel() {
    if (held.ofResponse() == 0) {
      within(clock.nowNs(), timeouts.tunnelIdleNs());
    }
  }

  /** Waits for the client to read what it holds of the response. */
  void awaitClient() {
    within(clock.nowNs(), timeouts.writeNs());
  }

  /** The request has ended, and its own deadline with it. */
  void ended() {
    endNs = Deadlines.NEVER;
    awaitNothing();
  }

  /** Stops checking deadlines until another request follows. */
  void leaveLoop() {
    ended();
    isLookedAt = false;
    leave();
  }

  @Override
  protected void onDeadline() {
    onDeadline.run();
  }
}
