package dev.weir.proxy.metrics;

import dev.weir.proxy.request.Protocol;

/** Times of the exchanges of one protocol on one event loop. */
final class ExchangeTimes {
  private final LatencyRecorder upstream = new LatencyRecorder();
  private final LatencyRecorder overhead = new LatencyRecorder();
  private final LatencyRecorder total = new LatencyRecorder();

  ExchangeTimes(Latencies latencies, Protocol protocol) {
    latencies.add(LatencyStep.UPSTREAM, protocol, upstream);
    latencies.add(LatencyStep.OVERHEAD, protocol, overhead);
    latencies.add(LatencyStep.TOTAL, protocol, total);
  }

  void record(long totalNs, long upstreamNs, long overheadNs) {
    total.record(totalNs);
    upstream.record(upstreamNs);
    overhead.record(overheadNs);
  }
}
