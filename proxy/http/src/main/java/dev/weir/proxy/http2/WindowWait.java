package dev.weir.proxy.http2;

import java.util.concurrent.TimeUnit;

/**
 * The streams of one connection to a service that have content and a window of their own, and wait
 * for the connection's; checked every 100 ms while there are any. The connection's user learns how
 * long they have waited ({@link StreamEvents#windowAwaited}).
 *
 * <p>They wait because the service has not read what other streams have sent. So when one has
 * waited for 5 s, the streams that hold most of the window are reset until a quarter of it is free:
 * a stream only if the service has read next to nothing of it for 5 s and has answered other
 * requests meanwhile, or for 25 s. A service that has stopped altogether reads nothing at all, and
 * gets the longer time.
 */
final class WindowWait {
  /** A service that opens a window does so within this time. */
  private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long UNREAD_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long STOPPED_NS = TimeUnit.SECONDS.toNanos(25);

  /**
   * A response this much later does not show that the service was working when the stream was last
   * read.
   */
  private static final long ANSWERED_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int NONE = StreamSlots.NONE;

  private final Http2Connection connection;
  private final StreamSlots streams;
  private final SendQueue queue;
  private boolean isTold;

  /** Until when no further stream is reset, as the last resets may open the window. */
  private long nextEndNs = Long.MIN_VALUE;

  WindowWait(Http2Connection connection, StreamSlots streams, SendQueue queue) {
    this.connection = connection;
    this.streams = streams;
    this.queue = queue;
  }

  /** Checks the waiting streams; returns whether to check again. */
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

  /** How long the first stream has waited, of all that wait but one. */
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
   * @param inTheWay whether only of streams that may be reset.
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
