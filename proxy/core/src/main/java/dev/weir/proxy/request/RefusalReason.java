package dev.weir.proxy.request;

import static dev.weir.proxy.request.GrpcStatus.FAILED_PRECONDITION;
import static dev.weir.proxy.request.GrpcStatus.INVALID_ARGUMENT;
import static dev.weir.proxy.request.GrpcStatus.RESOURCE_EXHAUSTED;
import static dev.weir.proxy.request.GrpcStatus.UNAUTHENTICATED;
import static dev.weir.proxy.request.GrpcStatus.UNAVAILABLE;
import static dev.weir.proxy.request.GrpcStatus.UNIMPLEMENTED;

import java.util.Locale;

/**
 * The reasons for which a request is answered here instead of by the service. The one place where a
 * reason, its HTTP status, its gRPC status and its counter meet.
 *
 * <p>A new reason is a row here; its answers and its counter follow from the row.
 */
public enum RefusalReason {
  // What a rule decided.
  OVER_LIMIT(429, RESOURCE_EXHAUSTED, "Quota Exceeded"),
  NEVER_SATISFIABLE(429, RESOURCE_EXHAUSTED, "Cost Exceeds The Limit"),
  DENIED(429, RESOURCE_EXHAUSTED, "Denied By Rule"),
  IDENTITY_MISSING(401, UNAUTHENTICATED, "Identity Required"),
  IDENTITY_AMBIGUOUS(400, INVALID_ARGUMENT, "Ambiguous Identity"),

  // What is wrong with a token that a rule's key reads (RFC 6750).
  TOKEN_MALFORMED(401, UNAUTHENTICATED, "Malformed Token"),
  TOKEN_ALGORITHM_REFUSED(401, UNAUTHENTICATED, "Token Algorithm Not Accepted"),
  TOKEN_KEY_UNKNOWN(401, UNAUTHENTICATED, "Token Key Unknown"),
  TOKEN_SIGNATURE_INVALID(401, UNAUTHENTICATED, "Token Signature Invalid"),
  TOKEN_EXPIRED(401, UNAUTHENTICATED, "Token Expired"),
  TOKEN_NOT_YET_VALID(401, UNAUTHENTICATED, "Token Not Yet Valid"),
  TOKEN_ISSUER_REFUSED(401, UNAUTHENTICATED, "Token Of Another Issuer"),
  TOKEN_AUDIENCE_REFUSED(401, UNAUTHENTICATED, "Token For Another Audience"),
  TOKEN_KEYS_UNAVAILABLE(
      503, UNAVAILABLE, "Token Keys Unavailable", "The keys that verify tokens are not known yet."),
  TOO_MANY_BAD_TOKENS(
      503,
      UNAVAILABLE,
      "Too Many Bad Tokens",
      "So many bad tokens came that new ones are not verified for a moment."),

  NOT_DECIDED_ONCE(400, INVALID_ARGUMENT, "No Idempotency Under This Rule"),
  IDEMPOTENCY_KEY_REUSED(400, INVALID_ARGUMENT, "Idempotency Key Used For Another Cost"),
  IDEMPOTENCY_KEY_MALFORMED(
      400,
      INVALID_ARGUMENT,
      "Malformed Idempotency Key",
      "A request has one field Idempotency-Key or X-Idempotency-Key, of 1 to 255 bytes."),

  // What the grammar decided: the request never reaches a rule.
  MALFORMED_REQUEST_LINE(400, INVALID_ARGUMENT, Ends.CONNECTION, "Malformed Request Line"),
  MALFORMED_TARGET(400, INVALID_ARGUMENT, Ends.CONNECTION, "Malformed Request Target"),
  MALFORMED_FIELD(400, INVALID_ARGUMENT, Ends.CONNECTION, "Malformed Header Field"),
  MALFORMED_HOST(400, INVALID_ARGUMENT, Ends.CONNECTION, "Malformed Host"),
  MALFORMED_CONTENT_LENGTH(400, INVALID_ARGUMENT, Ends.CONNECTION, "Malformed Content-Length"),
  MALFORMED_TRANSFER_ENCODING(
      400, INVALID_ARGUMENT, Ends.CONNECTION, "Malformed Transfer-Encoding"),
  MALFORMED_CHUNK(400, INVALID_ARGUMENT, Ends.CONNECTION, "Malformed Chunked Body"),
  AMBIGUOUS_PATH(400, INVALID_ARGUMENT, Ends.CONNECTION, "Ambiguous Path"),
  TARGET_TOO_LONG(414, INVALID_ARGUMENT, Ends.CONNECTION, "Request Target Too Long"),
  HEAD_TOO_LARGE(431, RESOURCE_EXHAUSTED, Ends.CONNECTION, "Request Header Fields Too Large"),
  METHOD_NOT_SUPPORTED(501, UNIMPLEMENTED, Ends.CONNECTION, "Method Not Supported"),
  PROTOCOL_NOT_SUPPORTED(501, UNIMPLEMENTED, Ends.CONNECTION, "Protocol Not Supported"),
  TRANSFER_CODING_NOT_SUPPORTED(
      501, UNIMPLEMENTED, Ends.CONNECTION, "Transfer Coding Not Supported"),
  VERSION_NOT_SUPPORTED(505, UNIMPLEMENTED, Ends.CONNECTION, "HTTP Version Not Supported"),
  INCOMPLETE_REQUEST(400, INVALID_ARGUMENT, Ends.CONNECTION, "Incomplete Request"),
  EXPECTATION_FAILED(417, FAILED_PRECONDITION, Ends.CONNECTION, "Expectation Failed"),

  // What time and capacity decided.
  HEAD_TIMEOUT(408, GrpcStatus.DEADLINE_EXCEEDED, Ends.CONNECTION, "Request Head Timeout"),
  BODY_TIMEOUT(408, GrpcStatus.DEADLINE_EXCEEDED, Ends.CONNECTION, "Request Body Timeout"),
  TOO_MANY_CONNECTIONS(
      503,
      UNAVAILABLE,
      Ends.CONNECTION,
      "Too Many Connections",
      "The proxy has as many connections as it may have."),
  TOO_MANY_IN_FLIGHT(
      503,
      UNAVAILABLE,
      "Too Many Requests In Flight",
      "The proxy has as many requests in flight as it may have."),
  TOO_MANY_PARKED(
      503,
      UNAVAILABLE,
      "Too Many Requests Awaiting A Decision",
      "As many requests as may be wait for their rate limit's decision."),
  STORE_UNAVAILABLE(
      503,
      UNAVAILABLE,
      "Rate Limit Store Unavailable",
      "The store of the rate limits gave no decision in time."),

  // What the upstream decided.
  UPSTREAM_UNREACHABLE(502, UNAVAILABLE, "Upstream Unreachable", "There is no way to the service."),
  UPSTREAM_CONNECTION_REFUSED(
      502, UNAVAILABLE, "Upstream Connection Refused", "The service refuses connections."),
  UPSTREAM_NAME_UNRESOLVED(
      502,
      UNAVAILABLE,
      "Upstream Name Unresolved",
      "The service's name does not resolve, and nothing answers where it was."),
  UPSTREAM_TLS_FAILED(
      502, UNAVAILABLE, "Upstream TLS Failed", "The TLS handshake with the service failed."),
  UPSTREAM_CONNECT_TIMEOUT(
      504,
      UNAVAILABLE,
      "Upstream Connect Timeout",
      "The connection to the service was not made in time."),
  UPSTREAM_BUSY(
      503,
      UNAVAILABLE,
      "Too Many Upstream Connections",
      "No connection to the service was free in time."),
  UPSTREAM_CLOSED(
      502,
      UNAVAILABLE,
      "Upstream Closed The Connection",
      "The service ended the connection before its response."),
  UPSTREAM_MALFORMED(
      502,
      UNAVAILABLE,
      "Malformed Upstream Response",
      "The service's response is not valid in its protocol."),
  UPSTREAM_NO_WEBSOCKET(
      502, UNAVAILABLE, "Upstream Takes No WebSocket", "The service did not agree to a WebSocket."),
  UPSTREAM_TIMEOUT(
      504, UNAVAILABLE, "Upstream Response Timeout", "The service did not respond in time."),

  // The client decided, which waits no longer.
  DEADLINE_EXCEEDED(
      504,
      GrpcStatus.DEADLINE_EXCEEDED,
      "Deadline Exceeded",
      "The time that the client gave is over."),

  // A list of addresses decided, before any rule.
  ADDRESS_BLOCKED(403, GrpcStatus.PERMISSION_DENIED, "Address Blocked"),

  // A rule decided that had refused the identity too often.
  BANNED(429, RESOURCE_EXHAUSTED, "Banned For A Time"),

  // A limit decided that moves with the times of the service.
  SERVICE_OVERLOADED(
      503,
      UNAVAILABLE,
      "Service Overloaded",
      "The service has as many requests in flight as it answers in good time.");

  private enum Ends {
    /** The request has been read to its end, or can be: the next one follows. */
    REQUEST,
    /** The start of the next request is unknown, or none is to be read. */
    CONNECTION
  }

  private static final String NO_IDENTITY = "ApiKey realm=\"weir\"";

  private final int httpStatus;
  private final GrpcStatus grpcStatus;
  private final Ends ends;
  private final String title;
  private final String detail;
  private final String label;

  RefusalReason(int httpStatus, GrpcStatus grpcStatus, String title) {
    this(httpStatus, grpcStatus, Ends.REQUEST, title, null);
  }

  RefusalReason(int httpStatus, GrpcStatus grpcStatus, String title, String detail) {
    this(httpStatus, grpcStatus, Ends.REQUEST, title, detail);
  }

  RefusalReason(int httpStatus, GrpcStatus grpcStatus, Ends ends, String title) {
    this(httpStatus, grpcStatus, ends, title, null);
  }

  RefusalReason(int httpStatus, GrpcStatus grpcStatus, Ends ends, String title, String detail) {
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
    return grpcStatus.code();
  }

  /** A short summary for people: the {@code title} of the problem (RFC 9457). */
  public String title() {
    return title;
  }

  /**
   * An explanation: the {@code detail} of the problem (RFC 9457). Every 502, 503 and 504 has one.
   * It contains no address; the log does. Null for none.
   */
  public String detail() {
    return detail;
  }

  /** The value of {@code WWW-Authenticate}, which a 401 must have; otherwise null. */
  public String challenge() {
    return httpStatus != 401 ? null : isOfToken() ? "Bearer error=\"invalid_token\"" : NO_IDENTITY;
  }

  /** Whether it is the fault of a token that a request has. */
  public boolean isOfToken() {
    return httpStatus == 401 && this != IDENTITY_MISSING;
  }

  /** Whether a limit or the action of a rule refused, which may have an answer of its own. */
  public boolean isByRule() {
    return switch (this) {
      case OVER_LIMIT, NEVER_SATISFIABLE, DENIED -> true;
      default -> false;
    };
  }

  /** The name in responses and metrics: that of the constant in lower case. */
  public String label() {
    return label;
  }

  /** Whether the client may send its next request on the same connection of HTTP/1.1. */
  public boolean keepsConnection() {
    return ends == Ends.REQUEST;
  }
}
