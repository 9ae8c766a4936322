package dev.weir.client;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;

/**
 * A call that the service gets only when it is started. Until then no message is requested, so none
 * arrives, and requests for messages wait.
 */
final class HeldCall<Q, A> extends SimpleForwardingServerCall<Q, A> {
  private final HeldListener<Q> listener = new HeldListener<>();

  /** Guarded by this. */
  private boolean isStarted;

  /** Guarded by this. */
  private long messagesWanted;

  HeldCall(ServerCall<Q, A> call) {
    super(call);
  }

  /** The listener for the call's events, before and after it has started. */
  ServerCall.Listener<Q> listener() {
    return listener;
  }

  @Override
  public void request(int messageCount) {
    synchronized (this) {
      if (!isStarted) {
        messagesWanted += messageCount;
        return;
      }
    }
    super.request(messageCount);
  }

  /** Passes the call to the service, unless its client has left meanwhile. */
  void start(Metadata headers, ServerCallHandler<Q, A> service) {
    if (isCancelled()) {
      return;
    }
    try {
      listener.passTo(service.startCall(this, headers));
    } catch (RuntimeException | Error e) {
      close(Status.UNKNOWN.withCause(e), new Metadata());
      return;
    }
    long wanted;
    synchronized (this) {
      isStarted = true;
      wanted = messagesWanted;
    }
    if (wanted > 0) {
      super.request((int) Math.min(wanted, Integer.MAX_VALUE));
    }
  }

  /** Ends the call, which the service never gets. */
  void refuse(Status status, Metadata trailers) {
    if (!isCancelled()) {
      close(status, trailers);
    }
  }
}
