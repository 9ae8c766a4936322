package dev.weir.proxy.request;

/** Why the store gave no decision. */
public enum StoreFault {
  /** There was no connection to the key's server, or it was lost with the call in flight. */
  DISCONNECTED,

  /** The circuit breaker is open: the server did not answer the last calls. */
  BREAKER_OPEN,

  /** The deadline has passed. The answer may still come, and the charge may count. */
  DEADLINE,

  /** No server has the partition, or the servers disagree on that. */
  NO_OWNER,

  /** The server refused the call, and executed none of it. */
  ERROR_REPLY,

  /** The server refused the call, as its memory is full: there is no room for new budgets. */
  OUT_OF_MEMORY,

  /** The answer was malformed, or a key has a value that is not Weir's. */
  MALFORMED_REPLY,

  /** Too much is waiting for that server. */
  FULL;
}
