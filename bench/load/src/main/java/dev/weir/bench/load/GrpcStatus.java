package dev.weir.bench.load;

/** Statuses of gRPC calls. */
final class GrpcStatus {
  /** The status of a call that ended without one, or with one that nobody knows. */
  static final int UNKNOWN = 2;

  static final int HIGHEST = 16;

  private GrpcStatus() {}
}
