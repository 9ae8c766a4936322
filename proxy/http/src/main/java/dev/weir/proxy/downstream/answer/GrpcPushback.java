package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.RefusalReason;
import java.util.concurrent.TimeUnit;

/**
 * The value of {@code grpc-retry-pushback-ms}, for a client whose retry policy has the status of
 * its refusal (gRFC A6): when to try again, not to, or nothing, and then it backs off as it would.
 */
final class GrpcPushback {
  /** Nothing is said. */
  static final long UNSAID = Long.MIN_VALUE;

  /** There is to be no other attempt. */
  static final long NEVER = -1;

  /** A longer wait than that is not sat out by a call. */
  static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(60);

  private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

  private GrpcPushback() {}

  /** The wait in milliseconds, rounded up; or {@link #NEVER} or {@link #UNSAID}. */
  static long ms(Refusal refusal) {
    return isOfQuota(refusal.reason()) ? ms(refusal.retryAfterNs()) : UNSAID;
  }

  private static long ms(long waitNs) {
    return waitNs == 0 || waitNs > MAX_WAIT_NS ? NEVER : (waitNs + NS_PER_MS - 1) / NS_PER_MS;
  }

  /** Whether the refusal is for want of something that is this client's, not everybody's. */
  static boolean isOfQuota(RefusalReason reason) {
    return reason.grpcStatus() == GrpcStatus.RESOURCE_EXHAUSTED.code();
  }
}
