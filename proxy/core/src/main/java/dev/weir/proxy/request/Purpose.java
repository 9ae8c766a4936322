package dev.weir.proxy.request;

/** For whom a {@link Question} is asked: what is counted and how many may wait goes by it. */
public enum Purpose {
  /** A request that goes on to the service if it may. */
  TRAFFIC,

  /** Another program asks whether it may go on. */
  DECISION,

  /** Another proxy asks by descriptors, whose limits no rule has; who asks counts them itself. */
  DESCRIPTOR,

  /** Somebody looks at a budget or gives it back. */
  OPERATOR
}
