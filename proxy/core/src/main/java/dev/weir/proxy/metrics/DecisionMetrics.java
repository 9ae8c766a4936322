package dev.weir.proxy.metrics;

import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.DecisionObserver;
import dev.weir.proxy.request.Handshake;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.ProxyHeaderFault;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TrafficObserver;
import java.util.concurrent.TimeUnit;

/**
 * Counts of one event loop's decision API: its connections and its calls. Every method that changes
 * it is called by that loop only and neither allocates, locks nor waits.
 */
public final class DecisionMetrics implements DecisionObserver, TrafficObserver {
  private static final long MAX_SKEW_SECONDS = TimeUnit.DAYS.toSeconds(365);

  private final Counters counters;

  /**
   * @param counters the event loop's row.
   */
  DecisionMetrics(Counters counters) {
    this.counters = counters;
  }

  @Override
  public void callStarted(DecisionCall what) {
    counters.increment(LoopFigures.DECISION_CALLS.word() + what.ordinal());
  }

  @Override
  public void callEnded(DecisionCall what, int grpcStatus) {
    counters.increment(LoopFigures.DECISION_STATUSES.word() + grpcStatus);
  }

  /** Clocks that are a year apart are as far apart as is told. */
  @Override
  public void clientTime(long seconds, int nanos, long nowNs) {
    long nowSeconds = TimeUnit.NANOSECONDS.toSeconds(nowNs);
    long bounded =
        Math.max(nowSeconds - MAX_SKEW_SECONDS, Math.min(nowSeconds + MAX_SKEW_SECONDS, seconds));
    long skewNs = Math.abs(TimeUnit.SECONDS.toNanos(bounded) + nanos - nowNs);
    counters.increment(LoopFigures.DECISION_CLIENT_TIMES.word());
    counters.add(
        LoopFigures.DECISION_CLIENT_SKEW_MILLISECONDS.word(),
        TimeUnit.NANOSECONDS.toMillis(skewNs));
  }

  @Override
  public void connectionOpened() {
    counters.increment(LoopFigures.DECISION_CONNECTIONS.word());
  }

  @Override
  public void connectionClosed() {
    counters.increment(LoopFigures.DECISION_CONNECTIONS_OPEN.endedWord());
  }

  @Override
  public void connectionRefused() {
    counters.increment(LoopFigures.DECISION_CONNECTIONS_REFUSED.word());
  }

  @Override
  public void proxyHeaderRefused(ProxyHeaderFault why) {
    counters.increment(LoopFigures.DECISION_CONNECTIONS_REFUSED.word());
  }

  @Override
  public void handshakeEnded(Handshake how) {
    counters.increment(LoopFigures.DECISION_HANDSHAKES.word() + how.ordinal());
  }

  @Override
  public void requestStarted(Protocol protocol) {
    // It is told as a call.
  }

  @Override
  public void requestEnded() {
    // It is told as a call.
  }

  @Override
  public void refused(RefusalReason reason) {
    counters.increment(LoopFigures.DECISION_REFUSALS.word() + reason.ordinal());
  }

  @Override
  public void completed(
      Protocol protocol, int status, long totalNs, long upstreamNs, long overheadNs) {
    // It is told as a call.
  }
}
