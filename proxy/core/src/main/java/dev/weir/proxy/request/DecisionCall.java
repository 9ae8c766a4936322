package dev.weir.proxy.request;

/** The kinds of calls to the decision API, as a label of metrics. */
public enum DecisionCall {
  CHECK_RATE_LIMIT,
  CHECK_RATE_LIMITS,
  GET_REMAINING_QUOTA,
  RESET_LIMIT,
  /** Envoy's rate-limit service. */
  SHOULD_RATE_LIMIT,
  /** A check by a body of JSON. */
  HTTP_CHECK,
  /** A check of a proxy that describes its client's request. */
  HTTP_AUTH,
  /** Envoy's rate-limit service, by JSON. */
  HTTP_ENVOY,
  HEALTH,
  REFLECTION,
  /** A call of an unknown method. */
  OTHER
}
