package dev.weir.proxy.request;

/** The operation that a {@link Question} wants on its budgets. */
public enum Operation {
  /** Charges all of them if all admit the request, else none. */
  CHECK,

  /** Tells what a check would decide at this moment, and charges nothing. */
  PEEK,

  /** Gives each budget back whole, whatever was taken from it; always allowed. */
  RESET
}
