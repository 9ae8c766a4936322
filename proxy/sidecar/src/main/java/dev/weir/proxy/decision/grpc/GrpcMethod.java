package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.grpc.GrpcStatus;
import dev.weir.proxy.request.DecisionCall;
import java.util.Set;

/**
 * One method of a gRPC service. One instance per event loop, used by it alone; all calls of it on
 * that loop are told to it, one by one.
 *
 * <p>A unary method answers each call once, within {@link #call} or later, by {@link GrpcCall#send}
 * or {@link GrpcCall#fail}; a streaming one sends what it likes and ends by {@link GrpcCall#end} or
 * {@link GrpcCall#fail}. From then on the call is another's.
 */
public interface GrpcMethod {
  /** The path of calls: {@code /package.Service/Method}. */
  String path();

  /** Further names of its service for health checks, beside the service's own. */
  default Set<String> healthNames() {
    return Set.of();
  }

  /** The kind that its calls count as. */
  DecisionCall kind();

  /** Whether a call may have any number of messages both ways. */
  default boolean isStreaming() {
    return false;
  }

  /** The longest message that it takes. */
  default int maxMessageBytes() {
    return isStreaming() ? GrpcCall.MAX_STREAMED_BYTES : GrpcCall.MAX_MESSAGE_BYTES;
  }

  /** The status of a streaming call for which there is no place: {@link StreamingCalls}. */
  default GrpcStatus whenTooMany() {
    return GrpcStatus.RESOURCE_EXHAUSTED;
  }

  /** Whether only clients with a token may call it, where tokens are required. */
  default boolean needsToken() {
    return true;
  }

  /**
   * Looks at unary calls whose messages have come together, each of which will be called next, or
   * has ended by then. Nothing is decided yet, and a fault is told when the call is made.
   *
   * @param calls of this method from {@code from} on, but for those that are null.
   */
  default void expect(GatheredCalls calls, int from, int to) {
    // To be called is enough.
  }

  /** A message has come: of a unary call all that comes. */
  void call(GrpcCall call);

  /** No more of its calls follow: others' are asked next, or nothing more that was read. */
  default void askedAll() {}

  /** No more messages come; told of streaming calls only. */
  default void ended(GrpcCall call) {
    call.end();
  }

  /**
   * The call has ended before it was answered: its client has left, or its time is up. What it was
   * waiting for is nobody's, and the call must not be touched any more.
   */
  default void cancelled(GrpcCall call) {}
}
