package dev.weir.proxy.admission;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Verdict;
import io.netty.channel.EventLoop;

/**
 * Holds requests that may pass only later, each in its parking place until its slot. One timer for
 * the earliest. One per event loop.
 */
final class RequestQueue {
  private final HeldRequests held = new HeldRequests();
  private final int maxCount;
  private final LoopMetrics metrics;
  private final LoopClock clock;
  private final Released released;
  private final WakeUp wakeUp;

  /** Receives a request whose slot has come. */
  interface Released {
    /**
     * @param remaining units left, for the response.
     * @param resetAfterNs until the budget is full again.
     */
    void released(long ticket, long remaining, long resetAfterNs, long nowNs);
  }

  /**
   * @param maxCount of requests, so that places are left for requests whose verdicts come late.
   */
  RequestQueue(
      int maxCount, LoopMetrics metrics, LoopClock clock, EventLoop eventLoop, Released released) {
    this.maxCount = maxCount;
    this.metrics = metrics;
    this.clock = clock;
    this.released = released;
    this.wakeUp = new WakeUp(eventLoop, clock, this::release);
  }

  boolean isFull() {
    return held.size() == maxCount;
  }

  /**
   * Holds a parked request until its verdict's {@link Verdict#dueNs}; the queue must not be full.
   */
  void hold(long ticket, Verdict settled) {
    metrics.held();
    long resetAtNs = clock.nowNs() + settled.resetAfterNs();
    held.add(ticket, settled.dueNs(), settled.remaining(), resetAtNs);
    wakeUp.at(held.firstDueNs());
  }

  /** The slot of a request; {@link Admission#NOT_HELD} if it is not held. */
  long dueNs(long ticket) {
    return held.contains(ticket) ? held.dueNs(ticket) : Admission.NOT_HELD;
  }

  /** Withdraws a request, if it is held. */
  void leave(long ticket) {
    if (held.contains(ticket)) {
      held.remove(ticket);
      metrics.released();
    }
  }

  /** Releases the requests whose slot has come. */
  void release() {
    long nowNs = clock.tick();
    while (held.size() > 0 && held.firstDueNs() <= nowNs) {
      long ticket = held.first();
      leave(ticket);
      long resetAfterNs = Math.max(0, held.resetAtNs(ticket) - nowNs);
      try {
        released.released(ticket, held.remaining(ticket), resetAfterNs, nowNs);
      } catch (RuntimeException | Error bug) {
        InternalErrors.caught("a request that was held", bug);
      }
    }
    if (held.size() > 0) {
      wakeUp.at(held.firstDueNs());
    }
  }
}
