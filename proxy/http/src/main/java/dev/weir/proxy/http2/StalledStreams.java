package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * Resets the streams of one connection whose peer reads none of their waiting content for 30 s, or
 * next to none over 60 s; or longer, if the connection's user says so. Each counts for a minute,
 * one after the other, and at the third a client's connection is drained. Connections to a service
 * or of an ingress are shared by other clients, and are never drained for that. Checked each second
 * while content waits.
 */
final class StalledStreams {
  static final long STALLED_NS = TimeUnit.SECONDS.toNanos(30);
  private static final long PACE_NS = TimeUnit.SECONDS.toNanos(60);

  /** A peer that reads less counts as one that reads nothing. */
  private static final int MIN_BYTES_PER_SECOND = 1024;

  private static final int MAX_STALLED = 3;

  /** The time for which each stalled stream counts, one after the other. */
  private static final long COUNTED_NS = TimeUnit.SECONDS.toNanos(60);

  private final Http2Connection connection;
  private final StreamSlots streams;

  /** When no stalled stream counts any more. */
  private long countedUntilNs = Long.MIN_VALUE;

  StalledStreams(Http2Connection connection, StreamSlots streams) {
    this.connection = connection;
    this.streams = streams;
  }

  /** A stream's content begins to wait for a window. */
  void begin(int stream) {
    final long nowNs = connection.loop.clock.nowNs();
    streams.stalledNs[stream] = nowNs;
    streams.paceNs[stream] = nowNs;
    streams.paceBytes[stream] = 0;
    connection.timer.watchStalled();
  }

  /** Some waiting content of a stream was sent. */
  void wentOn(int stream, int bytes) {
    streams.stalledNs[stream] = connection.loop.clock.nowNs();
    streams.paceBytes[stream] += bytes;
  }

  /** The user resets a stream, maybe because it has stalled. */
  void resetByUser(int stream) {
    final long nowNs = connection.loop.clock.nowNs();
    if (streams.waiting[stream] != null
        && nowNs - streams.stalledNs[stream] >= connection.events.stalledNs()) {
      count(nowNs);
    }
  }

  private void count(long nowNs) {
    if (connection.isShared()) {
      return;
    }
    countedUntilNs = Math.max(countedUntilNs, nowNs) + COUNTED_NS;
    if (countedUntilNs - nowNs > (MAX_STALLED - 1) * COUNTED_NS) {
      connection.drain();
    }
  }

  /** Resets the stalled streams. */
  void end(long nowNs) {
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (streams.id(stream) != 0 && streams.waiting[stream] != null && isStalled(stream, nowNs)) {
        connection.states.end(stream, StreamEnd.STALLED, ErrorCode.CANCEL);
        count(nowNs);
      }
    }
  }

  private boolean isStalled(int stream, long nowNs) {
    if (nowNs - streams.stalledNs[stream] >= connection.events.stalledNs()) {
      return true;
    }
    final long paceNs = Math.max(PACE_NS, connection.events.stalledNs());
    if (nowNs - streams.paceNs[stream] < paceNs) {
      return false;
    }
    final boolean tooSlow =
        streams.paceBytes[stream] < MIN_BYTES_PER_SECOND * TimeUnit.NANOSECONDS.toSeconds(paceNs);
    streams.paceNs[stream] = nowNs;
    streams.paceBytes[stream] = 0;
    return tooSlow;
  }
}
