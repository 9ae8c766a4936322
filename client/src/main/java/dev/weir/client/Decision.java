package dev.weir.client;

import dev.weir.v1.CheckRateLimitResponse;
import io.grpc.Status;

/**
 * What became of a check.
 *
 * @param allowed whether it may happen: what Weir decided, or what the failure policy says.
 * @param response what Weir decided; the default instance, which knows no limit, if it did not.
 * @param failure why Weir did not decide; null if it did.
 */
public record Decision(boolean allowed, CheckRateLimitResponse response, Status failure) {
  static Decision of(CheckRateLimitResponse response) {
    return new Decision(response.getAllowed(), response, null);
  }

  static Decision undecided(FailurePolicy policy, Status failure) {
    return new Decision(
        policy == FailurePolicy.OPEN, CheckRateLimitResponse.getDefaultInstance(), failure);
  }

  /** Whether Weir decided, and not the failure policy. */
  public boolean isDecided() {
    return failure == null;
  }
}
