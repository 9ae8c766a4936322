package dev.weir.proxy.request;

/** The kinds of calls to the decision API, by which figures tell them apart. */
public enum DecisionCall {
  CHECK_RATE_LIMIT,
  CHECK_RATE_LIMITS,
  GET_REMAINING_QUOTA,
  RESET_LIMIT,
  /** Envoy's rate-limit service. */
  SHOULD_RATE_LIMIT,
  /** A check by a body of JSON. */
  HTTP_CHECK,
  /** A check by the fields of a request that a proxy asks about. */
  HTTP_AUTH,
  /** Envoy's rate-limit service, by JSON. */
  HTTP_ENVOY,
  HEALTH,
  REFLECTION,
  /** Nothing that is known here. */
  OTHER
}
