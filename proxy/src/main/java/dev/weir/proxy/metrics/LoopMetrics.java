package dev.weir.proxy.metrics;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TrafficObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts and times of one event loop. Every method that changes it is called by that loop only and
 * neither allocates, locks nor waits, except {@link #rule}. Any thread may read.
 */
public final class LoopMetrics implements TrafficObserver {
  /** Status classes: 1 to 5, and 0 for a code outside them. */
  static final int STATUS_CLASSES = 6;

  private final Counters events = new Counters(Event.values().length);
  private final Counters refusals = new Counters(RefusalReason.values().length);
  private final Counters responses = new Counters(STATUS_CLASSES);
  private final LatencyRecorder decision = new LatencyRecorder();
  private final LatencyRecorder storeTimes = new LatencyRecorder();
  private final StoreMetrics store = new StoreMetrics(storeTimes);
  private final LatencyRecorder upstream = new LatencyRecorder();
  private final LatencyRecorder overhead = new LatencyRecorder();
  private final LatencyRecorder total = new LatencyRecorder();
  private final Map<String, RuleCounters> rules = new ConcurrentHashMap<>();

  LoopMetrics(Latencies latencies) {
    latencies.add(LatencyStep.DECISION, decision);
    latencies.add(LatencyStep.STORE, storeTimes);
    latencies.add(LatencyStep.UPSTREAM, upstream);
    latencies.add(LatencyStep.OVERHEAD, overhead);
    latencies.add(LatencyStep.TOTAL, total);
  }

  /** What this loop asked of the store. */
  public StoreMetrics store() {
    return store;
  }

  /** A verdict was reached, that long after it was asked for. */
  public void decided(long decisionNs) {
    decision.record(decisionNs);
  }

  /** A verdict came for a request whose client had gone. */
  public void verdictDropped() {
    events.increment(Event.VERDICT_DROPPED.ordinal());
  }

  /** A request that may pass is held until its slot. */
  public void held() {
    events.increment(Event.REQUEST_HELD.ordinal());
  }

  /** What a request was charged has gone back: the service has not heard of it. */
  public void chargeGivenBack() {
    events.increment(Event.CHARGE_GIVEN_BACK.ordinal());
  }

  /** One that was held is held no more: it passes, or its client has gone. */
  public void released() {
    events.increment(Event.REQUEST_RELEASED.ordinal());
  }

  /**
   * The counters of a rule, the same ones for the same id for ever, so that they survive a reload.
   * Allocates for a new id: to be asked for when rules are swapped, not per request.
   */
  public RuleCounters rule(String ruleId) {
    return rules.computeIfAbsent(ruleId, id -> new RuleCounters());
  }

  @Override
  public void connectionOpened() {
    events.increment(Event.CONNECTION_OPENED.ordinal());
  }

  @Override
  public void connectionClosed() {
    events.increment(Event.CONNECTION_CLOSED.ordinal());
  }

  @Override
  public void connectionRefused() {
    events.increment(Event.CONNECTION_REFUSED.ordinal());
  }

  @Override
  public void requestStarted() {
    events.increment(Event.REQUEST_STARTED.ordinal());
  }

  @Override
  public void requestEnded() {
    events.increment(Event.REQUEST_ENDED.ordinal());
  }

  @Override
  public void refused(RefusalReason reason) {
    refusals.increment(reason.ordinal());
  }

  @Override
  public void completed(int status, long totalNs, long upstreamNs, long overheadNs) {
    int statusClass = status / 100;
    responses.increment(statusClass >= 1 && statusClass < STATUS_CLASSES ? statusClass : 0);
    total.record(totalNs);
    upstream.record(upstreamNs);
    overhead.record(overheadNs);
  }

  @Override
  public void tunnelOpened() {
    events.increment(Event.TUNNEL_OPENED.ordinal());
  }

  @Override
  public void upstreamOpened() {
    events.increment(Event.UPSTREAM_OPENED.ordinal());
  }

  @Override
  public void upstreamClosed() {
    events.increment(Event.UPSTREAM_CLOSED.ordinal());
  }

  @Override
  public void upstreamWaitBegun() {
    events.increment(Event.UPSTREAM_WAIT_BEGUN.ordinal());
  }

  @Override
  public void upstreamWaitEnded() {
    events.increment(Event.UPSTREAM_WAIT_ENDED.ordinal());
  }

  @Override
  public void streamOpened() {
    events.increment(Event.STREAM_OPENED.ordinal());
  }

  @Override
  public void streamClosed() {
    events.increment(Event.STREAM_CLOSED.ordinal());
  }

  long count(Event event) {
    return events.getAcquire(event.ordinal());
  }

  long count(RefusalReason reason) {
    return refusals.getAcquire(reason.ordinal());
  }

  /** How many responses had a status of that class, 1 to 5; 0 for a code outside them. */
  long countResponses(int statusClass) {
    return responses.getAcquire(statusClass);
  }

  /** By rule id; may grow while it is looked at. */
  Map<String, RuleCounters> rules() {
    return rules;
  }

  /** What is counted without a label. */
  enum Event {
    CONNECTION_OPENED,
    CONNECTION_CLOSED,
    CONNECTION_REFUSED,
    REQUEST_STARTED,
    REQUEST_ENDED,
    REQUEST_HELD,
    REQUEST_RELEASED,
    TUNNEL_OPENED,
    UPSTREAM_OPENED,
    UPSTREAM_CLOSED,
    CHARGE_GIVEN_BACK,
    UPSTREAM_WAIT_BEGUN,
    UPSTREAM_WAIT_ENDED,
    STREAM_OPENED,
    STREAM_CLOSED,
    VERDICT_DROPPED
  }
}
