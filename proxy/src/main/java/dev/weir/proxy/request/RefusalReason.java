package dev.weir.proxy.request;

/**
 * Every reason for which a request is answered here instead of by the service, with what the client
 * is told. The one place where a reason, its HTTP status, its gRPC status and its counter meet.
 *
 * <p>The counter's label is the name in lower case.
 */
public enum RefusalReason {
  // What a rule decided.
  OVER_LIMIT(429, 8, "Quota Exceeded"),
  NEVER_SATISFIABLE(429, 8, "Cost Exceeds The Limit"),
  DENIED(429, 8, "Denied By Rule"),
  IDENTITY_MISSING(401, 16, "Identity Required"),
  IDENTITY_AMBIGUOUS(400, 3, "Ambiguous Identity"),

  // What the grammar decided: the request never reaches a rule.
  MALFORMED_REQUEST_LINE(400, 3, "Malformed Request Line"),
  MALFORMED_TARGET(400, 3, "Malformed Request Target"),
  MALFORMED_FIELD(400, 3, "Malformed Header Field"),
  MALFORMED_HOST(400, 3, "Malformed Host"),
  MALFORMED_CONTENT_LENGTH(400, 3, "Malformed Content-Length"),
  MALFORMED_TRANSFER_ENCODING(400, 3, "Malformed Transfer-Encoding"),
  MALFORMED_CHUNK(400, 3, "Malformed Chunked Body"),
  AMBIGUOUS_PATH(400, 3, "Ambiguous Path"),
  TARGET_TOO_LONG(414, 3, "Request Target Too Long"),
  HEAD_TOO_LARGE(431, 3, "Request Header Fields Too Large"),
  METHOD_NOT_SUPPORTED(501, 12, "Method Not Supported"),
  TRANSFER_CODING_NOT_SUPPORTED(501, 12, "Transfer Coding Not Supported"),
  VERSION_NOT_SUPPORTED(505, 12, "HTTP Version Not Supported"),
  INCOMPLETE_REQUEST(400, 3, "Incomplete Request"),
  EXPECTATION_FAILED(417, 9, "Expectation Failed"),

  // What time and capacity decided.
  HEAD_TIMEOUT(408, 4, "Request Head Timeout"),
  BODY_TIMEOUT(408, 4, "Request Body Timeout"),
  TOO_MANY_CONNECTIONS(503, 14, "Too Many Connections"),
  TOO_MANY_PARKED(503, 14, "Too Many Requests Awaiting A Decision"),
  STORE_UNAVAILABLE(503, 14, "Rate Limit Store Unavailable"),

  // What the upstream decided.
  UPSTREAM_UNREACHABLE(502, 14, "Upstream Unreachable"),
  UPSTREAM_CONNECT_TIMEOUT(504, 14, "Upstream Connect Timeout"),
  UPSTREAM_BUSY(503, 14, "Too Many Upstream Connections"),
  UPSTREAM_CLOSED(502, 14, "Upstream Closed The Connection"),
  UPSTREAM_MALFORMED(502, 14, "Malformed Upstream Response"),
  UPSTREAM_TIMEOUT(504, 4, "Upstream Response Timeout");

  private final int httpStatus;
  private final int grpcStatus;
  private final String title;

  RefusalReason(int httpStatus, int grpcStatus, String title) {
    this.httpStatus = httpStatus;
    this.grpcStatus = grpcStatus;
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

  /** Whether the client may send its next request on the same connection. */
  public boolean keepsConnection() {
    return this == OVER_LIMIT
        || this == NEVER_SATISFIABLE
        || this == DENIED
        || this == IDENTITY_MISSING
        || this == IDENTITY_AMBIGUOUS
        || this.ordinal() >= TOO_MANY_PARKED.ordinal();
  }
}
