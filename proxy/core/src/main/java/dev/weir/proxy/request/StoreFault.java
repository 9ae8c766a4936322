package dev.weir.proxy.request;

/** Why the store gave no decision. */
public enum StoreFault {
  /** No connection to the server of that key, or it was lost with the call in flight. */
  DISCONNECTED,

  /** The breaker is open: the server did not answer the last calls. */
  BREAKER_OPEN,

  /** The time for a decision was over. The answer may still come, and count. */
  DEADLINE,

  /** Nobody has the partition, or the servers do not agree on who has. */
  NO_OWNER,

  /** The server refused the call, and executed none of it. */
  ERROR_REPLY,

  /**
   * The server refused the call, as its memory is full: budgets that are new to it find no room.
   */
  OUT_OF_MEMORY,

  /** The server answered what is no decision, or a key holds what is not ours. */
  MALFORMED_REPLY,

  /** More is waiting for that server than there is room for. */
  FULL;
}
