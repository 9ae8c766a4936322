package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.request.ReplacementCause;
import java.util.concurrent.TimeUnit;

/**
 * Whether a connection to a service of HTTP/2 still does its work. One does not that refuses three
 * streams in a second, though it allows more; that leaves two requests without an answer, and a
 * ping between them; or that does not answer a ping in 5 s.
 *
 * <p>A request that had no answer in time, with nothing read for a second before, has the service
 * pinged: twice until it sends a head or content again, then every 5 minutes. Servers of gRPC end a
 * connection at the third ping that comes earlier, or that comes while there is no stream.
 */
final class ConnectionHealth extends Deadlines.Waiter {
  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long PING_ANSWER_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long PING_AGAIN_NS = TimeUnit.MINUTES.toNanos(5);
  private static final int MAX_EARLY_PINGS = 2;
  private static final long REFUSALS_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONG_AGO = Long.MIN_VALUE / 2;

  private final Http2Upstream connection;

  /** When anything was read last. */
  private long readNs = LONG_AGO;

  /** When the first request since then had no answer in time. */
  private long overdueNs = Deadlines.NEVER;

  private long pingNs = LONG_AGO;
  private boolean isPinged;

  /** Pings since the service sent a head or content. */
  private int pingCount;

  /** When streams were refused: the last, and the one before. */
  private long lastRefusedNs = LONG_AGO;

  private long earlierRefusedNs = LONG_AGO;

  ConnectionHealth(Http2Upstream connection) {
    this.connection = connection;
  }

  /** Something has been read. */
  void read(long nowNs) {
    readNs = nowNs;
    overdueNs = Deadlines.NEVER;
  }

  /** A head has been read, or content. */
  void answered() {
    pingCount = 0;
  }

  /**
   * A request has had no answer in time; its stream is still open.
   *
   * @param sinceNs since when it waits for one.
   */
  void overdue(long sinceNs, long nowNs) {
    if (nowNs - Math.max(sinceNs, readNs) < SILENCE_NS) {
      return;
    }
    if (overdueNs == Deadlines.NEVER) {
      overdueNs = nowNs;
    } else if (isPinged && nowNs - overdueNs >= SILENCE_NS) {
      connection.replace(ReplacementCause.SILENCE);
      return;
    }
    if (!isPinged && (pingCount < MAX_EARLY_PINGS || nowNs - pingNs >= PING_AGAIN_NS)) {
      isPinged = true;
      pingCount++;
      pingNs = nowNs;
      deadline(nowNs + PING_ANSWER_NS);
      connection.ping(pingNs);
    }
  }

  /** A ping has been answered. */
  void pingAnswered(long data) {
    if (data == pingNs) {
      isPinged = false;
      deadline(Deadlines.NEVER);
    }
  }

  @Override
  protected void onDeadline() {
    connection.replace(ReplacementCause.UNANSWERED_PING);
  }

  /** A stream has been refused that the service allows. */
  void refused(long nowNs) {
    if (nowNs - earlierRefusedNs < REFUSALS_NS) {
      connection.replace(ReplacementCause.REFUSED_STREAMS);
    }
    earlierRefusedNs = lastRefusedNs;
    lastRefusedNs = nowNs;
  }
}
