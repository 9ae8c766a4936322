package dev.weir.client;

import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.RateLimiterGrpc;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.BiConsumer;

/**
 * Gathers checks into calls. While few calls are away a check goes at once, in a call of its own;
 * what comes while more are away waits for the first answer, and goes with all others that wait. So
 * one check alone is never delayed, and many cost few calls.
 */
final class CheckBatches {
  /** Calls that may be away at once. */
  static final int MAX_CALLS = 4;

  /** Checks that may wait; one more is not decided. */
  static final int MAX_WAITING = 10_000;

  /** Checks of one call: what Weir takes. */
  static final int MAX_CHECKS = 1_000;

  /**
   * Of one call, far below the largest message that Weir takes. A check that is longer is at fault,
   * as Weir would say of any that it could read: it must not pass for want of an answer.
   */
  static final int MAX_CALL_BYTES = 1 << 20;

  private final RateLimiterGrpc.RateLimiterStub stub;
  private final FailurePolicy failurePolicy;

  /** Guarded by this. */
  private final Queue<PendingCheck> waiting = new ArrayDeque<>();

  /** Guarded by this. */
  private int callsAway;

  CheckBatches(RateLimiterGrpc.RateLimiterStub stub, FailurePolicy failurePolicy) {
    this.stub = stub;
    this.failurePolicy = failurePolicy;
  }

  PendingCheck ask(CheckRateLimitRequest request, Deadline deadline) {
    PendingCheck check = new PendingCheck(request, deadline, failurePolicy);
    if (request.getSerializedSize() > MAX_CALL_BYTES) {
      check.failed(
          Status.INVALID_ARGUMENT.withDescription(
              "a check of "
                  + request.getSerializedSize()
                  + " bytes (expected: at most "
                  + MAX_CALL_BYTES
                  + ")"));
      return check;
    }
    boolean atOnce;
    boolean waits;
    synchronized (this) {
      atOnce = callsAway < MAX_CALLS;
      waits = !atOnce && waiting.size() < MAX_WAITING;
      if (atOnce) {
        callsAway++;
      } else if (waits) {
        waiting.add(check);
      }
    }
    if (atOnce) {
      send(List.of(check));
    } else if (waits) {
      check.endAtDeadline();
    } else {
      check.failed(Status.RESOURCE_EXHAUSTED.withDescription(MAX_WAITING + " checks wait already"));
    }
    return check;
  }

  /** Sends what waits in the place of a call that has ended. */
  private void callEnded() {
    List<PendingCheck> checks;
    synchronized (this) {
      checks = takeWaiting();
      if (checks.isEmpty()) {
        callsAway--;
        return;
      }
    }
    send(checks);
  }

  private List<PendingCheck> takeWaiting() {
    List<PendingCheck> checks = new ArrayList<>();
    int bytes = 0;
    while (!waiting.isEmpty() && checks.size() < MAX_CHECKS) {
      PendingCheck next = waiting.peek();
      if (!next.decision().isDone()) {
        bytes += next.request().getSerializedSize();
        if (bytes > MAX_CALL_BYTES && !checks.isEmpty()) {
          break;
        }
        checks.add(next);
      }
      waiting.remove();
    }
    return checks;
  }

  /** A call ends for nobody but its checks: not with the context of who happened to be here. */
  private void send(List<PendingCheck> checks) {
    Context.ROOT.run(() -> call(checks));
  }

  private void call(List<PendingCheck> checks) {
    Deadline last = checks.get(0).deadline();
    for (PendingCheck check : checks) {
      last = last.isBefore(check.deadline()) ? check.deadline() : last;
    }
    RateLimiterGrpc.RateLimiterStub until = stub.withDeadline(last);
    if (checks.size() == 1) {
      PendingCheck check = checks.get(0);
      start(
          until::checkRateLimit,
          check.request(),
          new CallObserver<>(this::callEnded, check::answered, check::failed));
    } else {
      CheckBatch batch = new CheckBatch(checks);
      start(
          until::checkRateLimits,
          batch.request(),
          new CallObserver<>(this::callEnded, batch::answered, batch::failed));
    }
  }

  /** An interceptor of the channel may throw: then the call has ended, and its place is free. */
  private static <Q, A> void start(
      BiConsumer<Q, StreamObserver<A>> call, Q request, CallObserver<A> observer) {
    try {
      call.accept(request, observer);
    } catch (RuntimeException | Error failure) {
      observer.onError(failure);
    }
  }
}
