package dev.weir.proxy.request;

/** The purpose of a {@link Question}, which determines its metrics, and how many may wait. */
public enum Purpose {
  /** A request that goes on to the service if it may. */
  TRAFFIC,

  /** A check of another program. */
  DECISION,

  /** A descriptor of another proxy, with a limit that is in no rule; the caller counts it. */
  DESCRIPTOR,

  /** An operator looks at a budget, or resets it. */
  OPERATOR
}
