package dev.weir.client;

import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import io.grpc.Deadline;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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

  /** Fails the check at its own deadline, if that is not the one of its call. */
  void endAtDeadline() {
    decision.completeOnTimeout(
        late(), deadline.timeRemaining(TimeUnit.NANOSECONDS), TimeUnit.NANOSECONDS);
  }

  private Decision late() {
    Status late = Status.DEADLINE_EXCEEDED.withDescription("not decided in time");
    return Decision.undecided(failurePolicy, late);
  }

  /**
   * Waits for the decision, until the deadline at most, even if this thread is the one that would
   * bring the answer.
   */
  Decision await() throws InterruptedException, ExecutionException {
    try {
      return decision.get(deadline.timeRemaining(TimeUnit.NANOSECONDS), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      decision.complete(late());
      return decision.get();
    }
  }

  void answered(CheckRateLimitResponse response) {
    decision.complete(Decision.of(response));
  }

  /** Completes the check without a decision of Weir. */
  void failed(Status failure) {
    switch (failure.getCode()) {
      case INVALID_ARGUMENT, NOT_FOUND ->
          decision.completeExceptionally(failure.asRuntimeException());
      default -> decision.complete(Decision.undecided(failurePolicy, failure));
    }
  }
}
