package dev.weir.client;

import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.CheckRateLimitsRequest;
import dev.weir.v1.CheckRateLimitsResponse;
import dev.weir.v1.RateLimiterGrpc;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A Weir whose calls wait until a test answers them. */
final class FakeRateLimiter extends RateLimiterGrpc.RateLimiterImplBase {
  record Single(CheckRateLimitRequest request, StreamObserver<CheckRateLimitResponse> observer) {
    void answer(CheckRateLimitResponse response) {
      observer.onNext(response);
      observer.onCompleted();
    }
  }

  record Batch(CheckRateLimitsRequest request, StreamObserver<CheckRateLimitsResponse> observer) {
    void answer(CheckRateLimitsResponse response) {
      observer.onNext(response);
      observer.onCompleted();
    }
  }

  final BlockingQueue<Single> singles = new LinkedBlockingQueue<>();
  final BlockingQueue<Batch> batches = new LinkedBlockingQueue<>();

  @Override
  public void checkRateLimit(
      CheckRateLimitRequest request, StreamObserver<CheckRateLimitResponse> observer) {
    singles.add(new Single(request, observer));
  }

  @Override
  public void checkRateLimits(
      CheckRateLimitsRequest request, StreamObserver<CheckRateLimitsResponse> observer) {
    batches.add(new Batch(request, observer));
  }

  Single single() throws InterruptedException {
    return taken(singles);
  }

  Batch batch() throws InterruptedException {
    return taken(batches);
  }

  private static <T> T taken(BlockingQueue<T> calls) throws InterruptedException {
    T call = calls.poll(10, TimeUnit.SECONDS);
    if (call == null) {
      throw new AssertionError("no call came");
    }
    return call;
  }

  static CheckRateLimitResponse allowed(long remaining) {
    return CheckRateLimitResponse.newBuilder().setAllowed(true).setRemaining(remaining).build();
  }
}
