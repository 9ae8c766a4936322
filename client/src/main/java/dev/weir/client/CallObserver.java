package dev.weir.client;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** Reports the end of a unary call with its answer; only the first end counts. */
final class CallObserver<T> implements StreamObserver<T> {
  private final Runnable ended;
  private final Consumer<T> answered;
  private final Consumer<Status> failed;
  private final AtomicBoolean hasEnded = new AtomicBoolean();
  private T answer;

  /**
   * @param ended runs first, so that a slow receiver of the answer does not hold up the next call.
   */
  CallObserver(Runnable ended, Consumer<T> answered, Consumer<Status> failed) {
    this.ended = ended;
    this.answered = answered;
    this.failed = failed;
  }

  @Override
  public void onNext(T message) {
    answer = message;
  }

  @Override
  public void onError(Throwable fault) {
    if (hasEnded.getAndSet(true)) {
      return;
    }
    ended.run();
    failed.accept(Status.fromThrowable(fault));
  }

  @Override
  public void onCompleted() {
    if (hasEnded.getAndSet(true)) {
      return;
    }
    ended.run();
    if (answer == null) {
      failed.accept(Status.INTERNAL.withDescription("an end without an answer"));
    } else {
      answered.accept(answer);
    }
  }
}
