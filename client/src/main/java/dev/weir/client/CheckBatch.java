package dev.weir.client;

import dev.weir.v1.CheckRateLimitResult;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.CheckRateLimitsResponse;
import io.grpc.Status;
import java.util.List;

/** The checks of one call. */
final class CheckBatch {
  private final List<PendingCheck> checks;

  CheckBatch(List<PendingCheck> checks) {
    this.checks = checks;
  }

  CheckRateLimitsRequest request() {
    CheckRateLimitsRequest.Builder request = CheckRateLimitsRequest.newBuilder();
    checks.forEach(check -> request.addChecks(check.request()));
    return request.build();
  }

  void answered(CheckRateLimitsResponse response) {
    if (response.getResultsCount() != checks.size()) {
      failed(
          Status.INTERNAL.withDescription(
              response.getResultsCount() + " results of " + checks.size() + " checks"));
      return;
    }
    for (int i = 0; i < checks.size(); i++) {
      answered(checks.get(i), response.getResults(i));
    }
  }

  private static void answered(PendingCheck check, CheckRateLimitResult result) {
    switch (result.getResultCase()) {
      case RESPONSE -> check.answered(result.getResponse());
      case ERROR ->
          check.failed(
              Status.fromCodeValue(result.getError().getCode())
                  .withDescription(result.getError().getMessage()));
      case RESULT_NOT_SET -> check.failed(Status.INTERNAL.withDescription("an empty result"));
    }
  }

  void failed(Status failure) {
    checks.forEach(check -> check.failed(failure));
  }
}
