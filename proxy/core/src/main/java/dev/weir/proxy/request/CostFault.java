package dev.weir.proxy.request;

/** Why a header that would say a request's cost does not. */
public enum CostFault {
  /** The field is no whole number of 1 or more, or there are two: the rule's default counts. */
  MALFORMED,

  /** The cost is above the most that the rule allows: that counts. */
  ABOVE_MAX,

  /** The peer is no trusted proxy: the rule's default counts. */
  NOT_TRUSTED
}
