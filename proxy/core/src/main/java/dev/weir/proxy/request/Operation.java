package dev.weir.proxy.request;

/** The operation that a {@link Question} wants on its budgets. */
public enum Operation {
  /** Charges all budgets if all admit the request, otherwise none. */
  CHECK,

  /** Tells what a check would decide at this moment, and charges nothing. */
  PEEK,

  /** Makes each budget full again; always allowed. */
  RESET
}
