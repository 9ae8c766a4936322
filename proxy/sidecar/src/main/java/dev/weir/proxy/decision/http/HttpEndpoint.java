package dev.weir.proxy.decision.http;

import dev.weir.proxy.request.DecisionCall;

/**
 * Answers HTTP requests, of any version. One instance per event loop.
 *
 * <p>Each request is answered once, within {@link #request} or later, by {@link HttpCall#answer}.
 * After that the call may be reused.
 */
public interface HttpEndpoint {
  /** The most bytes of a body, unless an endpoint says otherwise. */
  int MAX_BODY_BYTES = 64 * 1024;

  /** The requests that it answers. */
  HttpRoute route();

  /** The label of its requests in metrics. */
  DecisionCall kind();

  /** Whether it needs a token, if tokens are required. */
  default boolean needsToken() {
    return true;
  }

  /** The most bytes of a body; a longer one gets 413. */
  default int maxBodyBytes() {
    return MAX_BODY_BYTES;
  }

  /** Takes a complete request. */
  void request(HttpCall call);

  /**
   * The request has ended before it was answered, as its client has left. The call must not be used
   * any more.
   */
  default void cancelled(HttpCall call) {}
}
