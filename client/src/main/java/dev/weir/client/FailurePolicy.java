package dev.weir.client;

/** What stands for a decision that does not come: no connection, no answer in time, no store. */
public enum FailurePolicy {
  /** It may happen: whoever asks goes on without limits. */
  OPEN,

  /** It may not. */
  CLOSED
}
