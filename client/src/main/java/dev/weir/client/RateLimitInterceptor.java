package dev.weir.client;

import com.google.protobuf.Any;
import com.google.rpc.RetryInfo;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.Dimension;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.protobuf.StatusProto;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.Function;

/**
 * Limits the calls of a service: checks each call before the service gets it. The endpoint is
 * {@code /package.Service/Method}, so the rule for that path limits the method.
 *
 * <p>A call without an identity fails with {@code UNAUTHENTICATED}, and one whose identity Weir
 * does not accept with {@code INVALID_ARGUMENT}, both without a check. A call over its limit fails
 * with {@code RESOURCE_EXHAUSTED} and a {@link RetryInfo}; one that {@link FailurePolicy#CLOSED}
 * refuses with {@code UNAVAILABLE}. No thread waits for the answer.
 */
public final class RateLimitInterceptor implements ServerInterceptor {
  /** The longest identity that Weir accepts, in bytes of UTF-8. */
  private static final int MAX_IDENTITY_BYTES = 1024;

  /** The message for a bad identity, without its value, which may be a secret. */
  private static final String BAD_IDENTITY =
      "Identity too long or with control characters (expected: 1 to 1,024 bytes without them)";

  private final RateLimitClient client;
  private final Dimension dimension;
  private final Function<Context, String> identities;

  /**
   * @param identities finds the caller in the context, where an authenticating interceptor, which
   *     must come first, has put it: such as {@code USER::get} of its key. Null or empty for an
   *     unknown caller.
   */
  public RateLimitInterceptor(
      RateLimitClient client, Dimension dimension, Function<Context, String> identities) {
    this.client = Objects.requireNonNull(client, "client");
    this.dimension = Objects.requireNonNull(dimension, "dimension");
    this.identities = Objects.requireNonNull(identities, "identities");
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Context context = Context.current();
    String identity = identities.apply(context);
    if (identity == null || identity.isEmpty()) {
      return refused(call, Status.UNAUTHENTICATED.withDescription("No identity"));
    }
    if (!canHaveBudget(identity)) {
      return refused(call, Status.INVALID_ARGUMENT.withDescription(BAD_IDENTITY));
    }
    CheckRateLimitRequest request =
        CheckRateLimitRequest.newBuilder()
            .setIdentifier(identity)
            .setDimension(dimension)
            .setEndpoint("/" + call.getMethodDescriptor().getFullMethodName())
            .setMethod("POST")
            .build();
    HeldCall<Q, A> held = new HeldCall<>(call);
    client
        .checkAsync(request)
        .whenComplete(
            (decision, fault) -> context.run(() -> settle(held, decision, fault, headers, next)));
    return held.listener();
  }

  private static <Q, A> ServerCall.Listener<Q> refused(ServerCall<Q, A> call, Status status) {
    call.close(status, new Metadata());
    return new ServerCall.Listener<>() {};
  }

  /** Whether Weir accepts an identity; if not, that is an error of the caller. */
  private static boolean canHaveBudget(String identity) {
    return identity.length() <= MAX_IDENTITY_BYTES
        && identity.chars().noneMatch(c -> c < ' ' || c == 0x7f)
        && identity.getBytes(StandardCharsets.UTF_8).length <= MAX_IDENTITY_BYTES;
  }

  private static <Q, A> void settle(
      HeldCall<Q, A> held,
      Decision decision,
      Throwable fault,
      Metadata headers,
      ServerCallHandler<Q, A> next) {
    if (fault != null) {
      held.refuse(
          Status.INTERNAL.withDescription("No rate limit").withCause(fault), new Metadata());
    } else if (decision.allowed()) {
      held.start(headers, next);
    } else if (decision.isDecided()) {
      refuse(held, decision.response());
    } else {
      held.refuse(Status.UNAVAILABLE.withDescription("Not decided"), new Metadata());
    }
  }

  private static void refuse(HeldCall<?, ?> held, CheckRateLimitResponse response) {
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder()
            .setCode(Status.Code.RESOURCE_EXHAUSTED.value())
            .setMessage("Quota exceeded: " + response.getRuleId());
    if (response.hasRetryAfter()) {
      RetryInfo retry = RetryInfo.newBuilder().setRetryDelay(response.getRetryAfter()).build();
      status.addDetails(Any.pack(retry));
    }
    StatusException refusal = StatusProto.toStatusException(status.build());
    held.refuse(refusal.getStatus(), refusal.getTrailers());
  }
}
