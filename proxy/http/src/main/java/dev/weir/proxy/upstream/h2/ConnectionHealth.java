package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.request.ReplacementCause;
import java.util.concurrent.TimeUnit;

/**
 * Whether a connection to a service of HTTP/2 still does its work. One does not that refuses three
 * streams in a second, though it allows more; that leaves two requests without an answer, and a
 * ping between them; or that does not answer in 5 s when it is asked whether it is there.
 *
 * <p>It is asked when a request waits for the first of its answer and nothing has been read for a
 * second, once on that request's account; and when one had no answer in time after as long a
 * silence. While none waits it is never asked.
 *
 * <p>It is also asked whether it has seen that streams were reset, as those keep their places until
 * then, every 200 ms at most: when they are a quarter of the places, or a request waits for one.
 *
 * <p>It is asked by a ping: twice until it sends a head or content again, then every 5 minutes.
 * Servers of gRPC end a connection at the third ping that comes earlier, or that comes while there
 * is no stream. When no ping is left it is asked by settings that change nothing, which every peer
 * has to acknowledge and none of them counts so, every 10 s at most where a request waits in
 * silence.
 */
final class ConnectionHealth extends Deadlines.Waiter {
  private static final long SILENCE_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long PING_AGAIN_NS = TimeUnit.MINUTES.toNanos(5);
  private static final int MAX_EARLY_PINGS = 2;
  private static final long SETTINGS_AGAIN_NS = TimeUnit.SECONDS.toNanos(10);
  private static final long RESETS_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long REFUSALS_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long LONG_AGO = Long.MIN_VALUE / 2;

  private final Http2Upstream connection;

  /** The time of the last read. */
  private long readNs = LONG_AGO;

  /** When the first request since then had no response in time. */
  private long overdueNs = Deadlines.NEVER;

  /** The time of the next check for a silent connection. */
  private long lookNs = Deadlines.NEVER;

  /** The deadline of the answer to a ping. */
  private long answerNs = Deadlines.NEVER;

  /** When the peer may next be asked whether it has seen resets. */
  private long resetsNs = Deadlines.NEVER;

  private boolean isAsked;
  private long askedNs = LONG_AGO;
  private long pingNs = LONG_AGO;

  /** Pings since the service sent a head or content. */
  private int pingCount;

  /** The times of the last two refused streams. */
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

  /** A head or content has been read. */
  void answered() {
    pingCount = 0;
  }

  /** A request waits for the beginning of its response. */
  void awaited(long nowNs) {
    if (lookNs == Deadlines.NEVER) {
      lookAt(nowNs + SILENCE_NS);
    }
  }

  private void lookAt(long ns) {
    lookNs = ns;
    arm();
  }

  private void arm() {
    deadline(Math.min(lookNs, Math.min(answerNs, resetsNs)));
  }

  @Override
  protected void onDeadline() {
    long nowNs = connection.http2Loop.nowNs();
    if (answerNs <= nowNs) {
      answerNs = Deadlines.NEVER;
      connection.replace(ReplacementCause.UNANSWERED_PING);
    }
    if (lookNs <= nowNs) {
      lookNs = Deadlines.NEVER;
      look(nowNs);
    }
    if (resetsNs <= nowNs) {
      resetsNs = Deadlines.NEVER;
      connection.askForPlaces();
    }
    arm();
  }

  /** Sends a ping if a request has waited in silence for long enough, and none was sent for it. */
  private void look(long nowNs) {
    long sinceNs = connection.awaitedSince(askedNs);
    if (sinceNs == Deadlines.NEVER || isAsked) {
      return;
    }
    long silentSinceNs = Math.max(sinceNs, readNs);
    if (nowNs - silentSinceNs >= SILENCE_NS) {
      ask(nowNs);
    } else {
      lookNs = silentSinceNs + SILENCE_NS;
    }
  }

  /**
   * A request has had no response in time; its stream is still open.
   *
   * @param sinceNs since when it waits.
   */
  void overdue(long sinceNs, long nowNs) {
    if (nowNs - Math.max(sinceNs, readNs) < SILENCE_NS) {
      return;
    }
    if (overdueNs == Deadlines.NEVER) {
      overdueNs = nowNs;
    } else if (isAsked && nowNs - Math.max(overdueNs, askedNs) >= SILENCE_NS) {
      connection.replace(ReplacementCause.SILENCE);
      return;
    }
    ask(nowNs);
    arm();
  }

  private void ask(long nowNs) {
    if (isAsked) {
      return;
    }
    if (pingCount < MAX_EARLY_PINGS || nowNs - pingNs >= PING_AGAIN_NS) {
      ping(nowNs);
    } else if (nowNs - askedNs < SETTINGS_AGAIN_NS || !connection.http2.askForAcknowledgement()) {
      lookNs = Math.max(askedNs + SETTINGS_AGAIN_NS, nowNs + SILENCE_NS);
      return;
    }
    asked(nowNs);
  }

  /** Asks for the places of reset streams, which are kept until the service has seen the resets. */
  void askForResets(long nowNs) {
    if (isAsked) {
      return; // and asked again by the answer
    }
    boolean isEarly = nowNs - askedNs < RESETS_AGAIN_NS;
    if (!isEarly && pingCount < MAX_EARLY_PINGS) {
      ping(nowNs);
      asked(nowNs);
    } else if (!isEarly && connection.http2.askForAcknowledgement()) {
      asked(nowNs);
    } else {
      resetsNs = isEarly ? askedNs + RESETS_AGAIN_NS : nowNs + RESETS_AGAIN_NS;
    }
    arm();
  }

  private void ping(long nowNs) {
    pingCount++;
    pingNs = nowNs;
    connection.http2.ping(nowNs);
  }

  private void asked(long nowNs) {
    isAsked = true;
    askedNs = nowNs;
    answerNs = nowNs + ANSWER_NS;
    connection.http2.resetsAsked();
  }

  /** A ping has been answered. */
  void pingAnswered(long data) {
    if (data == pingNs) {
      isThere();
    }
  }

  /** The service has answered a ping. */
  void isThere() {
    isAsked = false;
    answerNs = Deadlines.NEVER;
    connection.http2.resetsSeen();
    connection.askForPlaces();
    lookAt(connection.http2Loop.nowNs() + SILENCE_NS); // others have begun to wait
  }

  /** The service has refused a stream that its settings allow. */
  void refused(long nowNs) {
    if (nowNs - earlierRefusedNs < REFUSALS_NS) {
      connection.replace(ReplacementCause.REFUSED_STREAMS);
    }
    earlierRefusedNs = lastRefusedNs;
    lastRefusedNs = nowNs;
  }
}
