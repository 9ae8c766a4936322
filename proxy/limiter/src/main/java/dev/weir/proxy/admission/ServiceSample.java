package dev.weir.proxy.admission;

import dev.weir.algorithms.adaptive.AdaptiveLimit;
import dev.weir.proxy.request.RequestEnd;

/**
 * What the end of an exchange tells a limit that finds its number about the service:
 *
 * <pre>
 * how it ended                                        what is told
 * -------------------------------------------------   ----------------------------------------
 * the service said that it has too much to do         dropped
 * it answered with another status below 500           the time from request to head
 * it answered with another status from 500            nothing: to fail may be quick
 * it did not answer in time, after a long wait        dropped
 * the client left before the head, after a long wait  that wait: the time was this at least
 * any other end without a head, or a tunnel           nothing
 * a head that came more than 10 s before the end      nothing: it is about another time
 * a request whose body was sent on as it came         nothing: the client's time is in it
 * </pre>
 *
 * <p>A wait is long if it is the longest that counts. So a client that leaves at once, or has a
 * short deadline, tells nothing.
 */
final class ServiceSample {
  /** More content than this goes to the service while the client sends it. */
  static final int MOST_REQUEST_BYTES = 16 * 1024;

  /** Downloads, streams and long polls that took longer tell nothing. */
  static final long OLDEST_NS = 10_000_000_000L;

  private static final int SLOW_BODY = 408;
  private static final int FAILURES = 500;

  private ServiceSample() {}

  /**
   * @param isDropped whether the service said that it has too much to do.
   * @param inFlight requests that were in flight, with this one.
   */
  static void take(
      RequestEnd end, boolean isDropped, long inFlight, AdaptiveLimit limit, long nowNs) {
    if (end.forwardedNs() == RequestEnd.NEVER
        || end.how() == RequestEnd.How.UPGRADED_AND_CLOSED
        || end.requestBytes() > MOST_REQUEST_BYTES) {
      return;
    }
    if (end.headNs() == RequestEnd.NEVER) {
      takeUnanswered(end, inFlight, limit, nowNs);
    } else if (nowNs - end.headNs() > OLDEST_NS) {
      return;
    } else if (isDropped) {
      limit.dropped(inFlight, nowNs);
    } else if (end.status() < FAILURES) {
      limit.answered(Math.max(0, end.headNs() - end.forwardedNs()), inFlight, nowNs);
    }
  }

  private static void takeUnanswered(
      RequestEnd end, long inFlight, AdaptiveLimit limit, long nowNs) {
    long waitedNs = nowNs - end.forwardedNs();
    if (waitedNs < limit.longestNs()) {
      return;
    }
    if (end.how() == RequestEnd.How.TIMED_OUT && end.status() != SLOW_BODY) {
      limit.dropped(inFlight, nowNs);
    } else if (end.how() == RequestEnd.How.CLIENT_GONE && limit.longestNs() > 0) {
      limit.answered(waitedNs, inFlight, nowNs);
    }
  }
}
