package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.GrpcStatus;
import java.util.Set;

/**
 * One gRPC method. One instance per event loop, which gets all calls of the method on that loop,
 * one by one.
 *
 * <p>A unary method answers each call once, within {@link #call} or later, by {@link GrpcCall#send}
 * or {@link GrpcCall#fail}; a streaming one sends any number of answers and ends by {@link
 * GrpcCall#end} or {@link GrpcCall#fail}. After that the call may be reused.
 */
public interface GrpcMethod {
  /** The path of calls: {@code /package.Service/Method}. */
  String path();

  /** Further names by which health checks may ask for its service. */
  default Set<String> healthNames() {
    return Set.of();
  }

  /** The label of its calls in metrics. */
  DecisionCall kind();

  /** Whether a call may have any number of messages both ways. */
  default boolean isStreaming() {
    return false;
  }

  /** The longest message that it accepts. */
  default int maxMessageBytes() {
    return isStreaming() ? GrpcCall.MAX_STREAMED_BYTES : GrpcCall.MAX_MESSAGE_BYTES;
  }

  /** The status of a streaming call beyond the bounds of {@link StreamingCalls}. */
  default GrpcStatus whenTooMany() {
    return GrpcStatus.RESOURCE_EXHAUSTED;
  }

  /** Whether it needs a token, if tokens are required. */
  default boolean needsToken() {
    return true;
  }

  /**
   * Looks at unary calls whose messages have arrived together, and which will be made next, unless
   * they end before. Nothing is decided yet, and a fault is reported when the call is made.
   *
   * @param calls of this method from {@code from} on; those that are null have ended.
   */
  default void prefetch(GatheredCalls calls, int from, int to) {
    // To be called is enough.
  }

  /** Takes a message: of a unary call the only one. */
  void call(GrpcCall call);

  /** No more of its calls follow in this read. */
  default void askedAll() {}

  /** The client has ended its side; for streaming calls only. */
  default void ended(GrpcCall call) {
    call.end();
  }

  /**
   * The call has ended before it was answered: its client has left, or its deadline has passed. The
   * call must not be used any more.
   */
  default void cancelled(GrpcCall call) {}
}
