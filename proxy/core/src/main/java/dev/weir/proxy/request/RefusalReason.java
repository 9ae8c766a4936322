package dev.weir.proxy.request;

import java.util.Locale;

/**
 * Every reason for which a request is answered here instead of by the service, with what the client
 * is told. The one place where a reason, its HTTP status, its gRPC status and its counter meet.
 *
 * <p>A new reason is a row here: what answers it and what counts it goes by the row.
 */
public enum RefusalReason {
  // What a rule decided.
  OVER_LIMIT(429, 8, Ends.REQUEST, "Quota Exceeded"),
  NEVER_SATISFIABLE(429, 8, Ends.REQUEST, "Cost Exceeds The Limit"),
  DENIED(429, 8, Ends.REQUEST, "Denied By Rule"),
  IDENTITY_MISSING(401, 16, Ends.REQUEST, "Identity Required"),
  IDENTITY_AMBIGUOUS(400, 3, Ends.REQUEST, "Ambiguous Identity"),

  NOT_DECIDED_ONCE(400, 3, Ends.REQUEST, "No Idempotency Under This Rule"),
  IDEMPOTENCY_KEY_REUSED(400, 3, Ends.REQUEST, "Idempotency Key Used For Another Cost"),

  // What the grammar decided: the request never reaches a rule.
  MALFORMED_REQUEST_LINE(400, 3, Ends.CONNECTION, "Malformed Request Line"),
  MALFORMED_TARGET(400, 3, Ends.CONNECTION, "Malformed Request Target"),
  MALFORMED_FIELD(400, 3, Ends.CONNECTION, "Malformed Header Field"),
  MALFORMED_HOST(400, 3, Ends.CONNECTION, "Malformed Host"),
  MALFORMED_CONTENT_LENGTH(400, 3, Ends.CONNECTION, "Malformed Content-Length"),
  MALFORMED_TRANSFER_ENCODING(400, 3, Ends.CONNECTION, "Malformed Transfer-Encoding"),
  MALFORMED_CHUNK(400, 3, Ends.CONNECTION, "Malformed Chunked Body"),
  AMBIGUOUS_PATH(400, 3, Ends.CONNECTION, "Ambiguous Path"),
  TARGET_TOO_LONG(414, 3, Ends.CONNECTION, "Request Target Too Long"),
  HEAD_TOO_LARGE(431, 8, Ends.CONNECTION, "Request Header Fields Too Large"),
  METHOD_NOT_SUPPORTED(501, 12, Ends.CONNECTION, "Method Not Supported"),
  PROTOCOL_NOT_SUPPORTED(501, 12, Ends.CONNECTION, "Protocol Not Supported"),
  TRANSFER_CODING_NOT_SUPPORTED(501, 12, Ends.CONNECTION, "Transfer Coding Not Supported"),
  VERSION_NOT_SUPPORTED(505, 12, Ends.CONNECTION, "HTTP Version Not Supported"),
  INCOMPLETE_REQUEST(400, 3, Ends.CONNECTION, "Incomplete Request"),
  EXPECTATION_FAILED(417, 9, Ends.CONNECTION, "Expectation Failed"),

  // What time and capacity decided.
  HEAD_TIMEOUT(408, 4, Ends.CONNECTION, "Request Head Timeout"),
  BODY_TIMEOUT(408, 4, Ends.CONNECTION, "Request Body Timeout"),
  TOO_MANY_CONNECTIONS(
      503,
      14,
      Ends.CONNECTION,
      "Too Many Connections",
      "The proxy has as many connections as it may have."),
  TOO_MANY_IN_FLIGHT(
      503,
      14,
      Ends.REQUEST,
      "Too Many Requests In Flight",
      "The proxy has as many requests in flight as it may have."),
  TOO_MANY_PARKED(
      503,
      14,
      Ends.REQUEST,
      "Too Many Requests Awaiting A Decision",
      "As many requests as may be wait for their rate limit's decision."),
  STORE_UNAVAILABLE(
      503,
      14,
      Ends.REQUEST,
      "Rate Limit Store Unavailable",
      "The store of the rate limits gave no decision in time."),

  // What the upstream decided.
  UPSTREAM_UNREACHABLE(
      502, 14, Ends.REQUEST, "Upstream Unreachable", "There is no way to the service."),
  UPSTREAM_CONNECTION_REFUSED(
      502, 14, Ends.REQUEST, "Upstream Connection Refused", "The service refuses connections."),
  UPSTREAM_NAME_UNRESOLVED(
      502,
      14,
      Ends.REQUEST,
      "Upstream Name Unresolved",
      "The service's name does not resolve, and nothing answers where it was."),
  UPSTREAM_TLS_FAILED(
      502, 14, Ends.REQUEST, "Upstream TLS Failed", "The TLS handshake with the service failed."),
  UPSTREAM_CONNECT_TIMEOUT(
      504,
      14,
      Ends.REQUEST,
      "Upstream Connect Timeout",
      "The connection to the service was not made in time."),
  UPSTREAM_BUSY(
      503,
      14,
      Ends.REQUEST,
      "Too Many Upstream Connections",
      "No connection to the service was free in time."),
  UPSTREAM_CLOSED(
      502,
      14,
      Ends.REQUEST,
      "Upstream Closed The Connection",
      "The service ended the connection before its response."),
  UPSTREAM_MALFORMED(
      502,
      14,
      Ends.REQUEST,
      "Malformed Upstream Response",
      "The service's response is not valid in its protocol."),
  UPSTREAM_NO_WEBSOCKET(
      502,
      14,
      Ends.REQUEST,
      "Upstream Takes No WebSocket",
      "The service did not agree to a WebSocket."),
  UPSTREAM_TIMEOUT(
      504, 14, Ends.REQUEST, "Upstream Response Timeout", "The service did not respond in time."),

  // What the client decided: it waits no longer.
  DEADLINE_EXCEEDED(
      504, 4, Ends.REQUEST, "Deadline Exceeded", "The time that the client gave is over.");

  private enum Ends {
    /** The request has been read to its end, or can be: the next one can be found behind it. */
    REQUEST,
    /** Nobody knows where the next request begins, or none is to be read. */
    CONNECTION
  }

  private final int httpStatus;
  private final int grpcStatus;
  private final Ends ends;
  private final String title;
  private final String detail;
  private final String label;

  RefusalReason(int httpStatus, int grpcStatus, Ends ends, String title) {
    this(httpStatus, grpcStatus, ends, title, null);
  }

  RefusalReason(int httpStatus, int grpcStatus, Ends ends, String title, String detail) {
    this.httpStatus = httpStatus;
    this.grpcStatus = grpcStatus;
    this.ends = ends;
    this.label = name().toLowerCase(Locale.ROOT);
    this.title = title;
    this.detail = detail;
  }

  public int httpStatus() {
    return httpStatus;
  }

  public int grpcStatus() {
    return grpcStatus;
  }

  /** A short summary for people: the {@code title} of the problem (RFC 9457). */
  public String title() {
    return title;
  }

  /**
   * The cause, for people: the {@code detail} of the problem (RFC 9457). Every 502, 503 and 504 has
   * one. It names no address: the log does. Null for none.
   */
  public String detail() {
    return detail;
  }

  /** The name that clients and counters are told: that of the constant in lower case. */
  public String label() {
    return label;
  }

  /** Whether the client may send its next request on the same connection of HTTP/1.1. */
  public boolean keepsConnection() {
    return ends == Ends.REQUEST;
  }
}
