package dev.weir.proxy.admission;

import dev.weir.proxy.rule.MatchedRequest;
import dev.weir.proxy.rule.spec.CidrSet;

/**
 * The addresses of clients that are refused before any rule, and those that pass: who is on both
 * lists is refused. Any thread; a question sees both lists as they were at one moment.
 */
public final class AddressLists {
  /** The list that decides on a request. */
  public enum Listed {
    NEITHER,
    ALLOWED,
    BLOCKED
  }

  private record Both(CidrSet allow, CidrSet block) {}

  /** Null if both are empty. */
  private volatile Both both;

  /** Replaces both lists. */
  public void use(CidrSet allow, CidrSet block) {
    both = allow.isEmpty() && block.isEmpty() ? null : new Both(allow, block);
  }

  /** Whether no address is on a list. */
  boolean areEmpty() {
    return both == null;
  }

  /** The list that decides on a request. */
  Listed find(MatchedRequest request) {
    Both now = both;
    if (now == null) {
      return Listed.NEITHER;
    }
    if (request.isWithin(now.block())) {
      return Listed.BLOCKED;
    }
    return request.isWithin(now.allow()) ? Listed.ALLOWED : Listed.NEITHER;
  }
}
