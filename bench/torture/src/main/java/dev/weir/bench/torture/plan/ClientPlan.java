package dev.weir.bench.torture.plan;

/**
 * An honest client: one thread that asks, waits for the answer, pauses, and asks again.
 *
 * @param number tells it from the others, whatever is left out.
 * @param rule the number of its rule.
 * @param identities how many values each of the three identities has.
 * @param tls whether its connections are encrypted.
 */
public record ClientPlan(
    int number, Kind kind, int rule, int identities, int pauseMs, boolean tls) {
  ClientPlan withIdentities(int others) {
    return new ClientPlan(number, kind, rule, others, pauseMs, tls);
  }

  ClientPlan byTls(boolean encrypted) {
    return new ClientPlan(number, kind, rule, identities, pauseMs, encrypted);
  }

  /** How it asks. */
  public enum Kind {
    /** Requests of HTTP/1.1 through the proxy. */
    HTTP1,
    /** A WebSocket through the proxy for each question. */
    WEB_SOCKET,
    /** Requests of HTTP/2 through the proxy. */
    HTTP2,
    /** Calls of gRPC through the proxy. */
    GRPC,
    /** {@code GET /v1/check/...}. */
    HTTP_CHECK,
    /** {@code CheckRateLimit} of {@code weir.v1.RateLimiter}. */
    DECISION,
    /** {@code ShouldRateLimit} of Envoy's rate-limit service. */
    ENVOY;

    /** Whether its requests reach the service. */
    public boolean isProxied() {
      return this == HTTP1 || this == WEB_SOCKET || this == HTTP2 || this == GRPC;
    }
  }
}
