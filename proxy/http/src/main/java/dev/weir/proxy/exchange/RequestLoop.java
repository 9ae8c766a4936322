package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.FairCap;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TrafficObserver;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;

/** The parts that all requests of one event loop share. Used by that loop only. */
public final class RequestLoop {
  final LoopClock clock;
  final Deadlines deadlines;
  final Admission admission;
  final Origin origin;
  final ClientKey clientKeys;

  /** Requests in flight from trusted proxies, counted by the client that the proxy names. */
  final FairCap behindTrusted;

  final TrafficObserver observer;
  final RequestTimeouts timeouts;
  final Question question = new Question();
  final WebSockets webSockets = new WebSockets();
  final RequestEnd end = new RequestEnd();
  private final Verdict plain = new Verdict();
  private final boolean forwards;
  private boolean asking;

  /**
   * @param maxBehindTrusted requests in flight that clients behind trusted peers share.
   */
  public RequestLoop(
      LoopClock clock,
      Deadlines deadlines,
      Admission admission,
      Origin origin,
      ClientKey clientKeys,
      int maxBehindTrusted,
      TrafficObserver observer,
      RequestTimeouts timeouts) {
    this.clock = clock;
    this.deadlines = deadlines;
    this.admission = admission;
    this.origin = origin;
    this.clientKeys = clientKeys;
    this.behindTrusted = new FairCap(maxBehindTrusted);
    this.observer = observer;
    this.timeouts = timeouts;
    forwards = origin.forwards();
  }

  /**
   * Whether a verdict is being asked for at this moment: the head that was read last is then that
   * request's.
   */
  public boolean asking() {
    return asking;
  }

  /**
   * Asks for a verdict: {@link Admission#ask}.
   *
   * @param endNs when the verdict is no longer of use, in the loop's time.
   */
  Asked ask(RequestView head, long endNs, VerdictListener asker, long nowNs) {
    return ask(question.traffic(head).deadlineNs(endNs), asker, nowNs);
  }

  /** Asks for a verdict on a message that follows the first of a request. */
  Asked askForMessage(RequestView head, long endNs, VerdictListener asker, long nowNs) {
    return ask(question.message(head).deadlineNs(endNs), asker, nowNs);
  }

  private Asked ask(Question about, VerdictListener asker, long nowNs) {
    asking = true;
    try {
      return admission.ask(about, asker, nowNs);
    } finally {
      asking = false;
    }
  }

  /** Whether requests go on to a service: {@link Origin#forwards}. */
  public boolean forwards() {
    return forwards;
  }

  /** Starts the end of the process: the clients of WebSockets get a Close frame. */
  public void drain() {
    webSockets.goAway();
  }

  /** The verdict for a reason that is not a quota; valid until the next call. */
  public Verdict plain(RefusalReason reason) {
    return plain.refuse(reason);
  }
}
