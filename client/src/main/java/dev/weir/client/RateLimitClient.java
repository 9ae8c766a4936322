package dev.weir.client;

import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.RateLimiterGrpc;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.MetadataUtils;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Asks Weir whether something may happen. Checks that come together go in one call. A program needs
 * only one client, which any number of threads may use at once.
 *
 * <p>If Weir does not decide within the deadline, the result is a {@link Decision} of the {@link
 * FailurePolicy} and not an exception. That includes {@code UNAVAILABLE} for a rule that refuses
 * while its store is away: use {@link FailurePolicy#CLOSED} to refuse then. An error of the check
 * itself is an exception: {@code INVALID_ARGUMENT}, or {@code NOT_FOUND} if a rule is required and
 * none applies.
 */
public final class RateLimitClient {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final CheckBatches batches;
  private final long timeoutNs;

  private RateLimitClient(Builder builder) {
    RateLimiterGrpc.RateLimiterStub stub = RateLimiterGrpc.newStub(builder.channel);
    if (builder.token != null) {
      Metadata headers = new Metadata();
      headers.put(AUTHORIZATION, "Bearer " + builder.token);
      stub = stub.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
    }
    batches = new CheckBatches(stub, builder.failurePolicy);
    timeoutNs = builder.timeoutNs;
  }

  /**
   * @param channel to Weir's decision API; the caller shuts it down.
   * @param failurePolicy the decision if Weir gives none.
   */
  public static Builder builder(Channel channel, FailurePolicy failurePolicy) {
    return new Builder(channel, failurePolicy);
  }

  /**
   * Checks, and waits for the decision until the deadline, also on a thread of the channel.
   *
   * @throws StatusRuntimeException if the check itself is at fault; {@code CANCELLED}, with the
   *     interrupt kept, if the thread was interrupted.
   */
  public Decision check(CheckRateLimitRequest request) {
    PendingCheck check = ask(request);
    try {
      return check.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      check.decision().cancel(false);
      throw Status.CANCELLED.withDescription("interrupted").withCause(e).asRuntimeException();
    } catch (ExecutionException e) {
      Status status = Status.fromThrowable(e);
      throw status.withCause(e).asRuntimeException();
    }
  }

  /**
   * Checks. The deadline is that of the client or of the current {@link Context}, whichever is
   * earlier.
   *
   * @return the decision; fails with {@link StatusRuntimeException} if the check itself is at
   *     fault. Completed on a thread of the channel, where nothing should block.
   */
  public CompletableFuture<Decision> checkAsync(CheckRateLimitRequest request) {
    return ask(request).decision();
  }

  private PendingCheck ask(CheckRateLimitRequest request) {
    Objects.requireNonNull(request, "request");
    Deadline outer = Context.current().getDeadline();
    long leftNs = outer == null ? timeoutNs : outer.timeRemaining(TimeUnit.NANOSECONDS);
    return batches.ask(request, Deadline.after(Math.min(timeoutNs, leftNs), TimeUnit.NANOSECONDS));
  }

  /** Makes a client. */
  public static final class Builder {
    private final Channel channel;
    private final FailurePolicy failurePolicy;
    private long timeoutNs = TimeUnit.MILLISECONDS.toNanos(100);
    private String token;

    private Builder(Channel channel, FailurePolicy failurePolicy) {
      this.channel = Objects.requireNonNull(channel, "channel");
      this.failurePolicy = Objects.requireNonNull(failurePolicy, "failurePolicy");
    }

    /**
     * Sets the deadline.
     *
     * @param atMost how long a check may take in all; 100 ms by default.
     * @throws IllegalArgumentException if that is not more than 0.
     */
    public Builder timeout(Duration atMost) {
      if (atMost.isNegative() || atMost.isZero()) {
        throw new IllegalArgumentException("timeout: " + atMost + " (expected: more than 0)");
      }
      timeoutNs = atMost.toNanos();
      return this;
    }

    /** Sets the token, if Weir requires one. */
    public Builder token(String bearer) {
      token = Objects.requireNonNull(bearer, "token");
      return this;
    }

    public RateLimitClient build() {
      return new RateLimitClient(this);
    }
  }
}
