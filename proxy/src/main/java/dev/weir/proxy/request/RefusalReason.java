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
  TOO_MANY_CONNECTIONS(503, 14, Ends.CONNECTION, "Too Many Connections"),
  TOO_MANY_IN_FLIGHT(503, 14, Ends.REQUEST, "Too Many Requests In Flight"),
  TOO_MANY_PARKED(503, 14, Ends.REQUEST, "Too Many Requests Awaiting A Decision"),
  STORE_UNAVAILABLE(503, 14, Ends.REQUEST, "Rate Limit Store Unavailable"),

  // What the upstream decided.
  UPSTREAM_UNREACHABLE(502, 14, Ends.REQUEST, "Upstream Unreachable"),
  UPSTREAM_CONNECT_TIMEOUT(504, 14, Ends.REQUEST, "Upstream Connect Timeout"),
  UPSTREAM_BUSY(503, 14, Ends.REQUEST, "Too Many Upstream Connections"),
  UPSTREAM_CLOSED(502, 14, Ends.REQUEST, "Upstream Closed The Connection"),
  UPSTREAM_MALFORMED(502, 14, Ends.REQUEST, "Malformed Upstream Response"),
  UPSTREAM_NO_WEBSOCKET(502, 14, Ends.REQUEST, "Upstream Takes No WebSocket"),
  UPSTREAM_TIMEOUT(504, 14, Ends.REQUEST, "Upstream Response Timeout"),

  // What the client decided: it waits no longer.
  DEADLINE_EXCEEDED(504, 4, Ends.REQUEST, "Deadline Exceeded");

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
  private final String label;

  RefusalReason(int httpStatus, int grpcStatus, Ends ends, String title) {
    this.httpStatus = httpStatus;
    this.grpcStatus = grpcStatus;
    this.ends = ends;
    this.label = name().toLowerCase(Locale.ROOT);
    this.title = title;
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

  /** The name that clients and counters are told: that of the constant in lower case. */
  public String label() {
    return label;
  }

  /** Whether the client may send its next request on the same connection of HTTP/1.1. */
  public boolean keepsConnection() {
    return ends == Ends.REQUEST;
  }
}
