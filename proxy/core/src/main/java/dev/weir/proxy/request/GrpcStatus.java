package dev.weir.proxy.request;

/** The statuses that calls are answered with, by their numbers in gRPC. */
public enum GrpcStatus {
  OK,
  CANCELLED,
  UNKNOWN,
  INVALID_ARGUMENT,
  DEADLINE_EXCEEDED,
  NOT_FOUND,
  ALREADY_EXISTS,
  PERMISSION_DENIED,
  RESOURCE_EXHAUSTED,
  FAILED_PRECONDITION,
  ABORTED,
  OUT_OF_RANGE,
  UNIMPLEMENTED,
  INTERNAL,
  UNAVAILABLE,
  DATA_LOSS,
  UNAUTHENTICATED;

  public int code() {
    return ordinal();
  }

  /** The status that comes nearest to one of HTTP. */
  public static GrpcStatus nearestToHttp(int status) {
    return switch (status) {
      case 400, 413, 415 -> INVALID_ARGUMENT;
      case 401 -> UNAUTHENTICATED;
      case 403 -> PERMISSION_DENIED;
      case 404 -> NOT_FOUND;
      case 405 -> UNIMPLEMENTED;
      case 429 -> RESOURCE_EXHAUSTED;
      case 503 -> UNAVAILABLE;
      default -> status < 400 ? OK : INTERNAL;
    };
  }
}
