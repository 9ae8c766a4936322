package dev.weir.proxy.envoy.call;

import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.envoy.file.Domain;
import java.util.Arrays;

/**
 * The verdict on one call: on each descriptor, in the order of the call, and on all. It is open
 * while questions of it have no verdict. Owned by an event loop and reused: valid only during the
 * call that passes it.
 */
final class RateLimitVerdict {
  /** The descriptors that every verdict has room for; one with room for more is large. */
  static final int AT_FIRST = 8;

  /** Why there is no verdict. */
  enum Fault {
    /** The store gave no decision on one of the descriptors. */
    STORE,
    /** Too many descriptors wait for the store. */
    BUSY
  }

  final TakenTogether together = new TakenTogether(this);
  private final RateLimiter limiter;

  /** The domain; null if no file has it. */
  private Domain domain;

  private RateLimitAsker asker;
  private Object whose;

  /** Questions without a verdict, and one more while they are being asked. */
  private int openCount;

  private Fault fault;
  private boolean isOverLimit;
  private LimitHeaders headers;
  private int count;
  private DescriptorStatus[] statuses = {};

  /**
   * @param limiter receives late verdicts.
   */
  RateLimitVerdict(RateLimiter limiter) {
    this.limiter = limiter;
  }

  /** Begins the verdict on a call of a domain, whose descriptors are asked next. */
  void begin(Domain of, RateLimitAsker toTell, Object named) {
    domain = of;
    asker = toTell;
    whose = named;
    openCount = 1;
    together.clear();
  }

  /** Begins a number of descriptors, each of which passes without a limit. */
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

  /** Whether a call with many descriptors has used this. */
  boolean isLarge() {
    return statuses.length > AT_FIRST;
  }

  RateLimiter limiter() {
    return limiter;
  }

  Domain domain() {
    return domain;
  }

  /** Whether a refused call charges no descriptor. */
  boolean isAllOrNothing() {
    return domain.options().isAllOrNothing();
  }

  /** The caller has left: it gets no answer, and the charges of the call stay. */
  void leave() {
    asker = null;
    whose = null;
  }

  /** Passes the verdict to the caller, unless it has left. */
  void tell() {
    if (asker != null) {
      asker.decided(whose, this);
    }
  }

  /** Counts a question without a verdict. */
  void opened() {
    openCount++;
  }

  /** Uncounts a question, or the end of asking; returns whether none is open. */
  boolean closed() {
    return --openCount == 0;
  }

  /** Whether the verdict is not known yet, and will be passed on. */
  boolean isOpen() {
    return openCount > 0;
  }

  /** Drops the references to rules and the caller. */
  void end() {
    domain = null;
    leave();
  }

  /** Sets why there is no verdict. */
  void fail(Fault why) {
    fault = why;
  }

  /** Removes the limits that others of the same call replace. */
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
   * Whether the call is over: one of its limits is, or all of its quotas are. If all limits are
   * quotas, a descriptor without a limit counts as one that is not over.
   *
   * @param areQuotas whether every limit is a quota.
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

  /** Sets the status of each charged descriptor, and counts its hits. */
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

  /** The number of descriptors. */
  int count() {
    return count;
  }

  /** The verdict on a descriptor, by its index in the call. */
  DescriptorStatus status(int descriptor) {
    return statuses[descriptor];
  }

  /** The fields to add to a response; none if no descriptor has a limit. */
  LimitHeaders headers() {
    return headers;
  }

  /**
   * The descriptor that the fields of a response are about: the last one over its limit, else the
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
