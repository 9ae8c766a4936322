package dev.weir.proxy.envoy.call;

import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.envoy.file.Domain;
import dev.weir.proxy.request.Verdict;

/**
 * A call on its way to its verdict: its descriptors, who has asked, and how many of its questions
 * have no verdict yet. Reused.
 */
final class PendingCall {
  final RateLimitVerdict verdict = new RateLimitVerdict(this);
  final TakenTogether together = new TakenTogether(this);
  private final RateLimiter limiter;
  private Domain domain;
  private RateLimitAsker asker;
  private Object whose;

  /** Questions without a verdict, and one more while they are asked. */
  private int openCount;

  PendingCall(RateLimiter limiter) {
    this.limiter = limiter;
  }

  void begin(
      int descriptorCount, Domain of, LimitHeaders headers, RateLimitAsker toTell, Object named) {
    domain = of;
    asker = toTell;
    whose = named;
    openCount = 1;
    together.clear();
    verdict.start(descriptorCount, headers);
  }

  /** Whether a call that is refused takes nothing of any descriptor. */
  boolean isAllOrNothing() {
    return domain.options().isAllOrNothing();
  }

  Domain domain() {
    return domain;
  }

  /** Who asked has left: nobody is told, and what it was charged stays charged. */
  void leave() {
    asker = null;
    whose = null;
  }

  /** Tells who asked, unless they have left. */
  void tell() {
    if (asker != null) {
      asker.decided(whose, verdict);
    }
  }

  /** The call has failed: nobody is told, and what it has taken goes back if it may. */
  void fail() {
    leave();
    verdict.fail(RateLimitVerdict.Fault.STORE);
  }

  /** One of its questions has no verdict yet. */
  void opened() {
    openCount++;
  }

  /** One of its questions has its verdict, or all are asked; returns whether none is open. */
  boolean closed() {
    return --openCount == 0;
  }

  /** Whether the verdict is not known yet, and will be told. */
  boolean isOpen() {
    return openCount > 0;
  }

  /** A verdict on a descriptor has come late. */
  void decided(DescriptorStatus descriptor, Verdict late) {
    limiter.decided(this, descriptor, late);
  }

  /** A verdict on what is taken together has come late. */
  void decidedTogether(Verdict late) {
    limiter.decidedTogether(this, late);
  }

  /** Forgets the rules and the asker, so that they may be forgotten by all. */
  void end() {
    domain = null;
    leave();
  }
}
