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
 * Gathers checks into calls. While few calls are in flight a check is sent at once, in a call of
 * its own; checks that come while more are in flight go together when the first answer arrives. So
 * a single check is never delayed, and many cost few calls.
 */
final class CheckBatches {
  /** The most calls in flight. */
  static final int MAX_CALLS = 4;

  /** The most checks that wait; further ones are not decided. */
  static final int MAX_WAITING = 10_000;

  /** The most checks of one call that Weir accepts. */
  static final int MAX_CHECKS = 1_000;

  /**
   * The most bytes of one call, far below the largest message that Weir accepts. A longer check is
   * an error of its caller, as it would be for Weir: it must not be allowed for want of an answer.
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

  /** Sends waiting checks in the place of a call that has ended. */
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

  /** Sends a call, outside of the caller's context, which must not end it for the other checks. */
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

  /**
   * Starts a call. If an interceptor of the channel throws, the call has ended, and its place is
   * free.
   */
  private static <Q, A> void start(
      BiConsumer<Q, StreamObserver<A>> call, Q request, CallObserver<A> observer) {
    try {
      call.accept(request, observer);
    } catch (RuntimeException | Error failure) {
      observer.onError(failure);
    }
  }
}
