package dev.weir.proxy.exchange;

import dev.weir.proxy.request.RequestView;

/**
 * The head of a request as the client's protocol has read it, in terms that every protocol has. A
 * service's side that speaks the same protocol copies the bytes of the head. Valid during the call
 * that passes it.
 */
public interface IncomingRequest {
  /** The result of {@link #timeoutNs} if the client does not say how long it waits. */
  long NO_TIMEOUT = Long.MAX_VALUE;

  /** Method, target, authority and fields, and the peer that sent it. */
  RequestView view();

  /** Whether content or trailers follow the head. */
  boolean hasBody();

  /** The content's length in bytes; -1 if the head gives none. */
  long contentLength();

  /** Whether the method is HEAD, whose response has no content. */
  boolean headMethod();

  /** Whether the client waits for a 100 before it sends the content. */
  boolean expectContinue();

  /** Whether the client asks for another protocol on its connection, and the request allows it. */
  boolean upgrade();

  /**
   * Whether the client asks for a WebSocket, with all that either version of HTTP needs to ask a
   * service for one.
   */
  default boolean webSocket() {
    return false;
  }

  /**
   * Whether the content may pause for any time, as a stream of messages does. Other content must
   * come at a minimum speed.
   */
  default boolean mayPause() {
    return false;
  }

  /**
   * How long the client waits for the end of its response, from when the head arrived: 0 if the
   * time is already over, {@link #NO_TIMEOUT} if the client does not say.
   */
  default long timeoutNs() {
    return NO_TIMEOUT;
  }
}
