package dev.weir.proxy.rule;

/** The result of passing the values of a header or query parameter to a sink. */
enum ValuesFound {
  /** The request has no such header or parameter. */
  NONE,
  /** The sink took none of the values for enough. */
  OTHERS,
  /** A value was enough. */
  ENOUGH
}
