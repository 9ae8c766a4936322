package dev.weir.client;

import dev.weir.v1.CheckRateLimitResponse;
import io.grpc.Status;

/**
 * The result of a check.
 *
 * @param allowed whether it may happen, by Weir's decision or by the failure policy.
 * @param response Weir's decision; the default instance if there is none.
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
