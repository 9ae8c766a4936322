package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * The streams of one connection whose content waits and whose peer takes none of it for 30 s, or
 * next to none over 60 s; or for as long as the connection's user gives it, if that is longer. Each
 * is reset. Each counts for a minute, one behind the other, and at the third that counts a client's
 * connection is drained: what else is in flight comes to its end. That of a service or an ingress
 * is shared by clients who have no part in it, and is never drained for one of them. Looked at each
 * second while anything waits.
 */
final class StalledStreams {
  static final long STALLED_NS = TimeUnit.SECONDS.toNanos(30);
  private static final long PACE_NS = TimeUnit.SECONDS.toNanos(60);

  /** A peer that takes less is as good as one that takes nothing. */
  private static final int MIN_BYTES_PER_SECOND = 1024;

  private static final int MAX_STALLED = 3;

  /** The time for which each stall counts, one behind the other. */
  private static final long COUNTED_NS = TimeUnit.SECONDS.toNanos(60);

  private final Http2Connection connection;
  private final StreamSlots streams;

  /** The time from which no stall counts any more. */
  private long countedUntilNs = Long.MIN_VALUE;

  StalledStreams(Http2Connection connection, StreamSlots streams) {
    this.connection = connection;
    this.streams = streams;
  }

  /** Content of a stream begins to wait for a window. */
  void begin(int stream) {
    final long nowNs = connection.loop.clock.nowNs();
    streams.stalledNs[stream] = nowNs;
    streams.paceNs[stream] = nowNs;
    streams.paceBytes[stream] = 0;
    connection.timer.watchStalled();
  }

  /** Some content of a stream that waits has gone on. */
  void wentOn(int stream, int bytes) {
    streams.stalledNs[stream] = connection.loop.clock.nowNs();
    streams.paceBytes[stream] += bytes;
  }

  /** The user resets a stream: it may have seen first that it has stalled. */
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

  /** Resets those that have stalled. */
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
