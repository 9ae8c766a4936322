package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * The streams of one connection to a service that have content and a window, and wait for that of
 * the connection: looked at every 100 ms while there are any. Whoever has the connection is told
 * for how long they have waited ({@link StreamEvents#windowAwaited}).
 *
 * <p>They wait for what others have sent and the service has not read. So when one has waited for 5
 * s, those that hold most of the window are reset, until a quarter of it is free: each only if the
 * service has read next to nothing of it for 5 s, and has answered others meanwhile, or for 25 s. A
 * service that has stopped as a whole reads nothing of anybody, and has the longer time.
 */
final class WindowWait {
  /** A service opens a window within that time, if it does so at all. */
  private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long UNREAD_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long STOPPED_NS = TimeUnit.SECONDS.toNanos(25);

  /** An answer that comes so much later is no sign of the time when the stream was still read. */
  private static final long ANSWERED_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int NONE = StreamSlots.NONE;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final SendQueue queue;
  private boolean isTold;

  /** The time until which no further stream is reset: those that were may open the window. */
  private long nextEndNs = Long.MIN_VALUE;

  WindowWait(Http2Connection connection, StreamSlots streams, SendQueue queue) {
    this.connection = connection;
    this.streams = streams;
    this.queue = queue;
  }

  /** Looks at who waits; returns whether it is to be looked at again. */
  boolean look(long nowNs) {
    final boolean isAwaited = queue.waitsForWindow();
    if (isAwaited || isTold) {
      isTold = isAwaited;
      final long firstNs = isAwaited ? longestNs(NONE, nowNs) : 0;
      final long othersNs = isAwaited ? longestNs(mostUnread(nowNs, false), nowNs) : 0;
      connection.events.windowAwaited(firstNs, othersNs);
      if (firstNs >= WAIT_NS) {
        queue.openToOne();
      }
      if (othersNs >= UNREAD_NS && nowNs >= nextEndNs) {
        endUnread(nowNs);
      }
    }
    return queue.waitsForWindow();
  }

  /** The time for which the first stream has waited, of all that wait but one. */
  private long longestNs(int butStream, long nowNs) {
    long sinceNs = nowNs;
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (stream != butStream
          && streams.id(stream) != 0
          && streams.has(stream, StreamSlots.IN_RING)
          && streams.waiting[stream] != null
          && streams.sendWindow[stream] > 0) {
        sinceNs = Math.min(sinceNs, streams.turnNs[stream]);
      }
    }
    return nowNs - sinceNs;
  }

  private void endUnread(long nowNs) {
    int wantedBytes = queue.window().mostBytes() / 4;
    while (wantedBytes > 0) {
      final int stream = mostUnread(nowNs, true);
      if (stream == NONE) {
        return;
      }
      nextEndNs = nowNs + WAIT_NS;
      wantedBytes -= queue.window().unread(streams.unreadBytes[stream]);
      connection.states.end(stream, StreamEnd.UNREAD, ErrorCode.CANCEL);
    }
  }

  /**
   * The stream that holds most of the window.
   *
   * @param inTheWay whether only of those that are to be reset.
   */
  private int mostUnread(long nowNs, boolean inTheWay) {
    int most = NONE;
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (streams.id(stream) != 0
          && !streams.has(stream, StreamSlots.RESET)
          && streams.unreadBytes[stream] > 0
          && (most == NONE || streams.unreadBytes[stream] > streams.unreadBytes[most])
          && (!inTheWay || isInTheWay(streams.unreadNs[stream], nowNs))) {
        most = stream;
      }
    }
    return most;
  }

  private boolean isInTheWay(long unreadSinceNs, long nowNs) {
    final long unreadNs = nowNs - unreadSinceNs;
    return unreadNs >= STOPPED_NS
        || unreadNs >= UNREAD_NS && connection.events.hasAnsweredSince(unreadSinceNs + ANSWERED_NS);
  }
}
