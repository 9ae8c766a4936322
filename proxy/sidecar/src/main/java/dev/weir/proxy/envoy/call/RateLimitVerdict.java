package dev.weir.proxy.envoy.call;

import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.envoy.file.Domain;
import java.util.Arrays;

/**
 * What was decided about one call: of each descriptor, in the order of the call, and of all. While
 * questions of it are open it is awaited, by who has asked. Owned by an event loop and reused:
 * valid only during the call that hands it over.
 */
final class RateLimitVerdict {
  private static final int AT_FIRST = 8;

  /** Where a verdict comes from that is none of a limit's. */
  enum Fault {
    /** The store gave no decision on one of the descriptors. */
    STORE,
    /** As many descriptors wait as can. */
    BUSY
  }

  final TakenTogether together = new TakenTogether(this);
  private final RateLimiter limiter;

  /** Null for a domain that is in no file. */
  private Domain domain;

  private RateLimitAsker asker;
  private Object whose;

  /** Questions without a verdict, and one more while they are asked. */
  private int openCount;

  private Fault fault;
  private boolean isOverLimit;
  private LimitHeaders headers;
  private int count;
  private DescriptorStatus[] statuses = {};

  /**
   * @param limiter is told of verdicts that come late.
   */
  RateLimitVerdict(RateLimiter limiter) {
    this.limiter = limiter;
  }

  /** Begins to await the verdict on a call of a domain, whose descriptors are asked next. */
  void begin(Domain of, RateLimitAsker toTell, Object named) {
    domain = of;
    asker = toTell;
    whose = named;
    openCount = 1;
    together.clear();
  }

  /** Starts one of so many descriptors, each of which passes without a limit. */
  void start(int descriptorCount, LimitHeaders withHeaders) {
    fault = null;
    isOverLimit = false;
    headers = withHeaders;
    if (descriptorCount > statuses.length) {
      int known = statuses.length;
      int length = Math.max(AT_FIRST, Math.max(descriptorCount, 2 * known));
      statuses = Arrays.copyOf(statuses, length);
      for (int i = known; i < length; i++) {
        statuses[i] = new DescriptorStatus(this);
      }
    }
    count = descriptorCount;
    for (int i = 0; i < count; i++) {
      statuses[i].begin();
    }
  }

  RateLimiter limiter() {
    return limiter;
  }

  Domain domain() {
    return domain;
  }

  /** Whether a call that is refused takes nothing of any descriptor. */
  boolean isAllOrNothing() {
    return domain.options().isAllOrNothing();
  }

  /** Who asked has left: nobody is told, and what the call was charged stays charged. */
  void leave() {
    asker = null;
    whose = null;
  }

  /** Tells who asked, unless they have left. */
  void tell() {
    if (asker != null) {
      asker.decided(whose, this);
    }
  }

  /** One of the call's questions has no verdict yet. */
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

  /** Forgets the rules and who asked, so that they may be forgotten by all. */
  void end() {
    domain = null;
    leave();
  }

  /** There is none, for that reason. */
  void fail(Fault why) {
    fault = why;
  }

  /** Takes the limits away that others of the same call replace: they are not looked at. */
  void replace() {
    for (int i = 0; i < count; i++) {
      DescriptorStatus status = statuses[i];
      boolean isReplaced = false;
      for (int j = 0; !status.name().isEmpty() && j < count; j++) {
        isReplaced |= status.isReplacedBy(statuses[j]);
      }
      if (isReplaced) {
        status.replaced();
      }
    }
  }

  /**
   * Whether the call is over: one of its limits is, or all of those that are quotas are. Where all
   * are quotas, a descriptor without a limit is one that is not over.
   *
   * @param areQuotas whether each limit is one that refuses only if all of its call do.
   */
  boolean isOver(boolean areQuotas) {
    int quotas = 0;
    int quotasOver = 0;
    boolean hasOneWithoutLimit = false;
    for (int i = 0; i < count; i++) {
      DescriptorStatus status = statuses[i];
      if (status.charged() == null) {
        hasOneWithoutLimit |= status.remaining() != DescriptorStatus.UNLIMITED;
      } else if (areQuotas || status.isQuota()) {
        quotas++;
        quotasOver += status.refuses() ? 1 : 0;
      } else if (status.refuses()) {
        return true;
      }
    }
    return quotas > 0 && quotasOver == quotas && !(areQuotas && hasOneWithoutLimit);
  }

  /** Says the status of each descriptor that was charged, and counts its hits. */
  void conclude(boolean isOver, long unixNs) {
    isOverLimit = isOver;
    for (int i = 0; i < count; i++) {
      if (statuses[i].charged() != null) {
        statuses[i].conclude(unixNs);
      }
    }
  }

  /** Why there is no verdict; null if there is one. */
  Fault fault() {
    return fault;
  }

  /** Whether the call as a whole is refused. */
  boolean isOverLimit() {
    return isOverLimit;
  }

  /** How many descriptors the call has. */
  int count() {
    return count;
  }

  /** What was decided about a descriptor, by its place in the call. */
  DescriptorStatus status(int descriptor) {
    return statuses[descriptor];
  }

  /** Which fields are to be added to a response; none if no descriptor has a limit. */
  LimitHeaders headers() {
    return headers;
  }

  /**
   * The descriptor that fields of a response tell of: the last that is over its limit, else the
   * first with the least left; null if none has a limit.
   */
  DescriptorStatus closest() {
    DescriptorStatus closest = null;
    long least = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      DescriptorStatus status = statuses[i];
      if (status.unit() != null && (status.isOver() || status.remaining() < least)) {
        closest = status;
        least = status.isOver() ? 0 : status.remaining();
      }
    }
    return closest;
  }
}
