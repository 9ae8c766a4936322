package dev.weir.client;

import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import io.grpc.Deadline;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A check that is not decided yet. */
final class PendingCheck {
  private final CheckRateLimitRequest request;
  private final Deadline deadline;
  private final FailurePolicy failurePolicy;
  private final CompletableFuture<Decision> decision = new CompletableFuture<>();

  PendingCheck(CheckRateLimitRequest request, Deadline deadline, FailurePolicy failurePolicy) {
    this.request = request;
    this.deadline = deadline;
    this.failurePolicy = failurePolicy;
  }

  CheckRateLimitRequest request() {
    return request;
  }

  Deadline deadline() {
    return deadline;
  }

  CompletableFuture<Decision> decision() {
    return decision;
  }

  /** For a check whose own deadline is not that of the call that it goes with. */
  void endAtDeadline() {
    Status late = Status.DEADLINE_EXCEEDED.withDescription("not decided in time");
    decision.completeOnTimeout(
        Decision.undecided(failurePolicy, late),
        deadline.timeRemaining(TimeUnit.NANOSECONDS),
        TimeUnit.NANOSECONDS);
  }

  void answered(CheckRateLimitResponse response) {
    decision.complete(Decision.of(response));
  }

  /** Weir did not decide. */
  void failed(Status failure) {
    switch (failure.getCode()) {
      case INVALID_ARGUMENT, NOT_FOUND ->
          decision.completeExceptionally(failure.asRuntimeException());
      default -> decision.complete(Decision.undecided(failurePolicy, failure));
    }
  }
}
