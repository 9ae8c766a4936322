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
 * Asks Weir whether something may happen. Checks that come together go in one call. One client is
 * enough for a program: it may be used by many threads at once, and keeps nothing but what is on
 * its way.
 *
 * <p>What keeps Weir from deciding is no exception but a {@link Decision} of the {@link
 * FailurePolicy}, within the deadline. That includes {@code UNAVAILABLE} of a rule that refuses
 * while its store is away: such a refusal stands only with {@link FailurePolicy#CLOSED}. What is
 * wrong with the check itself is an exception: {@code INVALID_ARGUMENT}, and {@code NOT_FOUND}
 * where a rule was asked for.
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
   * @param channel to Weir's decision API; it stays the caller's, who shuts it down.
   * @param failurePolicy what stands for a decision that does not come.
   */
  public static Builder builder(Channel channel, FailurePolicy failurePolicy) {
    return new Builder(channel, failurePolicy);
  }

  /**
   * Asks, and waits for what is decided, within the deadline also where the channel's own thread
   * waits.
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
   * Asks. The deadline is that of the client or of the current {@link Context}, whichever ends
   * first.
   *
   * @return what is decided; fails with {@link StatusRuntimeException} if the check itself is at
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
     * @param atMost how long a check may take in all; 100 ms unless it is said.
     * @throws IllegalArgumentException if that is not more than 0.
     */
    public Builder timeout(Duration atMost) {
      if (atMost.isNegative() || atMost.isZero()) {
        throw new IllegalArgumentException("timeout: " + atMost + " (expected: more than 0)");
      }
      timeoutNs = atMost.toNanos();
      return this;
    }

    /** What Weir asks callers for, where it does; none unless it is said. */
    public Builder token(String bearer) {
      token = Objects.requireNonNull(bearer, "token");
      return this;
    }

    public RateLimitClient build() {
      return new RateLimitClient(this);
    }
  }
}
