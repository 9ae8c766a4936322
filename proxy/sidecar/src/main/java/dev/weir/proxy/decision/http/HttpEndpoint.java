package dev.weir.proxy.decision.http;

import dev.weir.proxy.request.DecisionCall;

/**
 * Answers requests of HTTP, of whatever version. One instance per event loop, used by it alone.
 *
 * <p>Each request is answered once, within {@link #request} or later, by {@link HttpCall#answer}.
 * From then on the call is another's.
 */
public interface HttpEndpoint {
  /** Which requests are its own. */
  HttpRoute route();

  /** The kind that its requests count as. */
  DecisionCall kind();

  /** Whether only clients with a token are answered, where tokens are required. */
  default boolean needsToken() {
    return true;
  }

  /** The most bytes of a body: what has more is answered 413 before it comes here. */
  default int maxBodyBytes() {
    return 64 * 1024;
  }

  /** A whole request has come. */
  void request(HttpCall call);

  /**
   * The request has ended before it was answered, as its client has left. What it was waiting for
   * is nobody's, and the call must not be touched any more.
   */
  default void cancelled(HttpCall call) {}
}
