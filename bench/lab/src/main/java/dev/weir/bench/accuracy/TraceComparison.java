package dev.weir.bench.accuracy;

import java.util.BitSet;

/** A trace against a limit, and what the exact log alone decided on it. */
final class TraceComparison {
  private final Trace trace;
  private final int limit;
  private final long windowNs;
  private final BitSet alone;

  TraceComparison(Trace trace, int limit, long windowNs) {
    this.trace = trace;
    this.limit = limit;
    this.windowNs = windowNs;
    alone = new BitSet(trace.size());
    final ExactLog log = new ExactLog(trace.keyCount(), limit, windowNs);
    for (int i = 0; i < trace.size(); i++) {
      alone.set(i, log.admit(trace.keys()[i], trace.timesNs()[i]));
    }
  }

  /** Plays the trace to a limiter that has seen nothing yet. */
  Tally with(Limiter limiter) {
    final Tally tally = new Tally();
    final ExactLog own = new ExactLog(trace.keyCount(), limit, windowNs);
    for (int i = 0; i < trace.size(); i++) {
      final int key = trace.keys()[i];
      final long nowNs = trace.timesNs()[i];
      final boolean admitted = limiter.admit(key, nowNs);
      tally.add(admitted, own.waitNs(key, nowNs), alone.get(i));
      if (admitted) {
        own.add(key, nowNs);
        tally.addWindow(own.count(key, nowNs));
      }
    }
    return tally;
  }

  /** Something that decides request by request. One thread; times never step back. */
  interface Limiter extends AutoCloseable {
    /** Whether the request passes; if so, it counts. */
    boolean admit(int key, long nowNs);

    @Override
    void close();
  }
}
