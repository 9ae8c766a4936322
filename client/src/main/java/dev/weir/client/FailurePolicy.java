package dev.weir.client;

/**
 * The failure policy: the decision if Weir gives none, for want of a connection, an answer in time,
 * or a store.
 */
public enum FailurePolicy {
  /** Allows the request. */
  OPEN,

  /** Refuses the request. */
  CLOSED
}
