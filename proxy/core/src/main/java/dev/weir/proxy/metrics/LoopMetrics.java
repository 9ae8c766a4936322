package dev.weir.proxy.metrics;

import dev.weir.proxy.request.CostFault;
import dev.weir.proxy.request.Handshake;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.ProxyHeaderFault;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReplacementCause;
import dev.weir.proxy.request.TrafficObserver;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;

/**
 * Counts and times of one event loop, by the figures that {@link LoopFigures} declares. Every
 * method that changes it is called by that loop only and neither allocates, locks nor waits, except
 * {@link #useRules}, {@link #rule}, {@link #completed} for the first exchange of a protocol, and
 * {@link #decidedLeased} for the first decision. Any thread may read.
 */
public final class LoopMetrics implements TrafficObserver {
  private final Counters counters = LoopFigures.newRow();
  private final LatencyRecorder decision = new LatencyRecorder();

  /** Times of decisions in mode leased; null until there is one. */
  private LatencyRecorder byHand;

  private LatencyRecorder byStore;
  private final LeaseMetrics leases = new LeaseMetrics(counters);
  private final Http2Metrics http2Clients = new Http2Metrics(counters, LoopFigures.HTTP2_CLIENTS);
  private final Http2Metrics http2Services = new Http2Metrics(counters, LoopFigures.HTTP2_SERVICES);
  private final ExchangeTimes[] times = new ExchangeTimes[Protocol.values().length];
  private final Latencies latencies;
  private final DescriptorNames descriptorNames;

  /** Null without a store: its times take an eighth of a megabyte. */
  private StoreMetrics store;

  private final RuleFigures rules;

  /** Counters of the limits in files; not changed once it is here. */
  private volatile Map<List<String>, DescriptorCounters> limits = Map.of();

  /** Counters of limits by names that requests have made. */
  private final Map<List<String>, DescriptorCounters> unnamed = new ConcurrentHashMap<>();

  private final ResponseTimes responseTimes = new ResponseTimes();
  private final RuleFigures asked;
  private final Http2Metrics http2Decisions =
      new Http2Metrics(counters, LoopFigures.HTTP2_DECISIONS);
  private final DecisionMetrics decisions = new DecisionMetrics(counters);

  /**
   * @param rules the figures of all loops, of requests.
   * @param asked the figures of all loops, of checks that programs ask for.
   * @param descriptorNames of all loops.
   */
  LoopMetrics(
      Latencies latencies, RuleFigures rules, RuleFigures asked, DescriptorNames descriptorNames) {
    this.latencies = latencies;
    this.rules = rules;
    this.asked = asked;
    this.descriptorNames = descriptorNames;
    latencies.add(LatencyStep.DECISION, decision);
    times[Protocol.HTTP1.ordinal()] = new ExchangeTimes(latencies, Protocol.HTTP1);
  }

  /** The counts of this loop's questions to the store; made when first needed. */
  public StoreMetrics store() {
    if (store == null) {
      LatencyRecorder times = new LatencyRecorder();
      latencies.add(LatencyStep.STORE, times);
      store = new StoreMetrics(counters, times);
    }
    return store;
  }

  /** The counts of this loop's leases. */
  public LeaseMetrics leases() {
    return leases;
  }

  /** The counts of this loop's HTTP/2 connections with clients. */
  public Http2Observer http2Clients() {
    return http2Clients;
  }

  /** The counts of this loop's HTTP/2 connections with services. */
  public Http2Observer http2Services() {
    return http2Services;
  }

  /** The counts of this loop's HTTP/2 connections with callers of the decision API. */
  public Http2Observer http2Decisions() {
    return http2Decisions;
  }

  /** The counts of this loop's decision API. */
  public DecisionMetrics decisions() {
    return decisions;
  }

  /** Records a verdict and its latency. */
  public void decided(long decisionNs) {
    decision.record(decisionNs);
  }

  /** Records a number of verdicts that took the same time. */
  public void decided(long decisionNs, long count) {
    decision.record(decisionNs, count);
  }

  /**
   * Records a verdict in mode leased and its latency. The first one allocates.
   *
   * @param hasWaited whether it waited for the store.
   */
  public void decidedLeased(boolean hasWaited, long decisionNs) {
    if (byHand == null) {
      byHand = new LatencyRecorder();
      byStore = new LatencyRecorder();
      latencies.add(LatencyStep.HAND, byHand);
      latencies.add(LatencyStep.ASKED, byStore);
    }
    (hasWaited ? byStore : byHand).record(decisionNs);
  }

  /** A list of addresses decided on a request or a check. */
  public void listed(boolean isBlocked) {
    counters.increment(LoopFigures.LISTED.word() + (isBlocked ? 1 : 0));
  }

  /** A verdict came for a request that had ended. */
  public void verdictDropped() {
    counters.increment(LoopFigures.VERDICTS_DROPPED.word());
  }

  /** A request is held in a queue until its slot. */
  public void held() {
    counters.increment(LoopFigures.REQUESTS_HELD.word());
  }

  /** A request's charge was returned, as the service did not receive the request. */
  public void chargeGivenBack() {
    counters.increment(LoopFigures.CHARGES_GIVEN_BACK.word());
  }

  /** A request holds units from now on, or may. */
  public void holdingBegun() {
    counters.increment(LoopFigures.HOLDINGS.word());
  }

  /** A request that held units has ended. */
  public void holdingEnded() {
    counters.increment(LoopFigures.HOLDINGS_OPEN.endedWord());
  }

  /** The end of a request was told whose units had been released. */
  public void holdingUnknown() {
    counters.increment(LoopFigures.HOLDINGS_UNKNOWN.word());
  }

  /** Costs of a request that the service had were not reported. */
  public void costsMissing(int count) {
    counters.add(LoopFigures.COSTS_MISSING.word(), count);
  }

  /** Units of a cost were not charged. */
  public void uncollected(long units) {
    counters.add(LoopFigures.UNITS_UNCOLLECTED.word(), units);
  }

  /** A header that would say a request's cost did not. */
  public void costHeaderMisread(CostFault why) {
    counters.increment(LoopFigures.COST_HEADERS_MISREAD.word() + why.ordinal());
  }

  /** A held request is no longer held: it passes, or its client has gone. */
  public void released() {
    counters.increment(LoopFigures.REQUESTS_WAITING.endedWord());
  }

  /**
   * Makes the counters of all limits that Envoy's files have: those of the same names stay, and
   * those of names that are not among them go. By one thread at a time, which need not be the
   * loop's: there may be tens of thousands.
   *
   * @param names of each its domain, then what it is named by at each level; not to be changed.
   */
  public Map<List<String>, DescriptorCounters> limits(Collection<List<String>> names) {
    Map<List<String>, DescriptorCounters> before = limits;
    Map<List<String>, DescriptorCounters> next = new HashMap<>();
    for (List<String> each : names) {
      DescriptorCounters known = before.get(each);
      next.putIfAbsent(each, known == null ? new DescriptorCounters() : known);
    }
    limits = next;
    return next;
  }

  /** The names from callers' requests on any event loop. */
  public DescriptorNames descriptorNames() {
    return descriptorNames;
  }

  /**
   * The counters of what is counted in a domain without a name of its own, the same ones until they
   * are {@linkplain #forgetUnnamed forgotten}. Allocates for a new name.
   *
   * @param names as those of {@link #limits}; not to be changed.
   */
  public DescriptorCounters unnamed(List<String> names) {
    return unnamed.computeIfAbsent(names, key -> new DescriptorCounters());
  }

  /** Forgets what was counted without a name. */
  public void forgetUnnamed(List<String> names) {
    unnamed.remove(names);
  }

  /** The latencies of calls of Envoy's rate-limit service. */
  public ResponseTimes responseTimes() {
    return responseTimes;
  }

  /** Visits the limits of Envoy's files, and what was counted without a name. */
  void forEachDescriptor(BiConsumer<List<String>, DescriptorCounters> visitor) {
    limits.forEach(visitor);
    unnamed.forEach(visitor);
  }

  /**
   * Names the rules that this loop uses from now on. The counters of others stay for an hour.
   *
   * @param outcomes by id, those that each rule can have.
   */
  public void useRules(Map<String, Set<RuleCounters.Outcome>> outcomes) {
    rules.use(this, outcomes);
    asked.use(this, outcomes);
  }

  /**
   * The counters of a rule, the same ones for the same id until an hour after no loop uses it.
   * Locks, and allocates for a new id: to be asked for when rules are swapped, not per request.
   */
  public RuleCounters rule(String ruleId) {
    return rules.of(this, ruleId);
  }

  /** The counters of a rule, as {@link #rule} has them, for checks that programs ask for. */
  public RuleCounters asked(String ruleId) {
    return asked.of(this, ruleId);
  }

  @Override
  public void connectionOpened() {
    counters.increment(LoopFigures.CONNECTIONS.word());
  }

  @Override
  public void connectionClosed() {
    counters.increment(LoopFigures.CONNECTIONS_OPEN.endedWord());
  }

  @Override
  public void connectionRefused() {
    counters.increment(LoopFigures.CONNECTIONS_REFUSED.word());
  }

  @Override
  public void proxyHeaderRefused(ProxyHeaderFault why) {
    counters.increment(LoopFigures.PROXY_HEADERS_REFUSED.word() + why.ordinal());
  }

  @Override
  public void handshakeEnded(Handshake how) {
    counters.increment(LoopFigures.HANDSHAKES.word() + how.ordinal());
  }

  @Override
  public void requestStarted(Protocol protocol) {
    counters.increment(LoopFigures.REQUESTS.word());
    counters.increment(LoopFigures.REQUESTS_BY_PROTOCOL.word() + protocol.ordinal());
  }

  @Override
  public void requestEnded() {
    counters.increment(LoopFigures.REQUESTS_IN_FLIGHT.endedWord());
  }

  @Override
  public void refused(RefusalReason reason) {
    counters.increment(LoopFigures.REFUSALS.word() + reason.ordinal());
  }

  @Override
  public void completed(
      Protocol protocol, int status, long totalNs, long upstreamNs, long overheadNs) {
    int statusClass = status / 100;
    boolean isKnown = statusClass >= 1 && statusClass < LoopFigures.RESPONSES.wordCount();
    counters.increment(LoopFigures.RESPONSES.word() + (isKnown ? statusClass : 0));
    times(protocol).record(totalNs, upstreamNs, overheadNs);
  }

  /** Made for the first exchange of a protocol: they take more than a megabyte. */
  private ExchangeTimes times(Protocol protocol) {
    ExchangeTimes known = times[protocol.ordinal()];
    if (known == null) {
      known = new ExchangeTimes(latencies, protocol);
      times[protocol.ordinal()] = known;
    }
    return known;
  }

  @Override
  public void responseUnread() {
    counters.increment(LoopFigures.RESPONSES_UNREAD.word());
  }

  @Override
  public void tunnelOpened() {
    counters.increment(LoopFigures.TUNNELS.word());
  }

  @Override
  public void upstreamOpened() {
    counters.increment(LoopFigures.UPSTREAM_CONNECTIONS.word());
  }

  @Override
  public void upstreamClosed() {
    counters.increment(LoopFigures.UPSTREAM_CONNECTIONS_OPEN.endedWord());
  }

  @Override
  public void upstreamReplaced(ReplacementCause why) {
    counters.increment(LoopFigures.UPSTREAM_REPLACEMENTS.word() + why.ordinal());
  }

  @Override
  public void upstreamHandshakeEnded(Handshake how) {
    counters.increment(LoopFigures.UPSTREAM_HANDSHAKES.word() + how.ordinal());
  }

  @Override
  public void upstreamWaitBegun() {
    counters.increment(LoopFigures.UPSTREAM_WAITS.word());
  }

  @Override
  public void upstreamWaitEnded() {
    counters.increment(LoopFigures.UPSTREAM_WAITING.endedWord());
  }

  @Override
  public void streamOpened() {
    counters.increment(LoopFigures.UPSTREAM_STREAMS.word());
  }

  @Override
  public void streamClosed() {
    counters.increment(LoopFigures.UPSTREAM_STREAMS_OPEN.endedWord());
  }

  /** The count at one word of the loop's row; see {@link LoopFigures}. */
  long count(int word) {
    return counters.getAcquire(word);
  }
}
