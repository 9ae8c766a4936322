package dev.weir.bench.accuracy;

/** The requests of a client who knows where the windows end. One key. */
final class EdgeTraces {
  /** Rounds of bursts; between them the limiter forgets. */
  private static final int ROUNDS = 8;

  private static final int ROUND_WINDOWS = 4;

  /** Requests of a flood come at so many times the limit's rate. */
  private static final int FLOOD_FACTOR = 1000;

  private static final int FLOOD_WINDOWS = 2;

  private EdgeTraces() {}

  /** The limit in the last nanosecond of a window, and again in the first of the next. */
  static Trace bursts(int limit, long windowNs) {
    final long[] timesNs = new long[ROUNDS * 2 * limit];
    for (int i = 0; i < timesNs.length; i++) {
      final long edgeNs = (1 + i / (2 * limit)) * ROUND_WINDOWS * windowNs;
      timesNs[i] = i % (2 * limit) < limit ? edgeNs - 1 : edgeNs;
    }
    return Trace.ofOneKey(timesNs);
  }

  /** The limit in the last nanosecond of a window, then a flood through the next two. */
  static Trace flood(int limit, long windowNs) {
    final long edgeNs = ROUND_WINDOWS * windowNs;
    final int perWindow = FLOOD_FACTOR * limit;
    final long[] timesNs = new long[limit + FLOOD_WINDOWS * perWindow];
    for (int i = 0; i < timesNs.length; i++) {
      timesNs[i] = i < limit ? edgeNs - 1 : edgeNs + (i - limit) * windowNs / perWindow;
    }
    return Trace.ofOneKey(timesNs);
  }
}
