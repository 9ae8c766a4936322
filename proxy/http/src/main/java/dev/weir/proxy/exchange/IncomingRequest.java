package dev.weir.proxy.exchange;

import dev.weir.proxy.request.RequestView;

/**
 * The head of a request as the client's protocol has read it: what every protocol can say of it.
 * The side that sends it on looks whether it is of its own protocol, and then copies its bytes.
 * Valid during the call that hands it over.
 */
public interface IncomingRequest {
  /** The result of {@link #timeoutNs} if the client does not say how long it waits. */
  long NO_TIMEOUT = Long.MAX_VALUE;

  /** Method, target, authority and fields, and whose connection it came on. */
  RequestView view();

  /** Whether content follows the head, or trailers. */
  boolean hasBody();

  /** The content's length in bytes; -1 if the head gives none. */
  long contentLength();

  /** Whether the method is HEAD, whose response has no content. */
  boolean headMethod();

  /** Whether the client waits for a 100 before it sends the content. */
  boolean expectContinue();

  /** Whether the client asks for another protocol on its connection, and may have it. */
  boolean upgrade();

  /**
   * Whether the protocol that is asked for is WebSocket, and so much is said that it can be had of
   * a service of either version of HTTP.
   */
  default boolean webSocket() {
    return false;
  }

  /**
   * Whether the content may pause for as long as the client likes, as a stream of messages does.
   * Any other has to come at a least speed.
   */
  default boolean mayPause() {
    return false;
  }

  /**
   * How long the client waits for the end of its response, counted from the head's arrival: 0 if it
   * does not wait any more, {@link #NO_TIMEOUT} if it does not say.
   */
  default long timeoutNs() {
    return NO_TIMEOUT;
  }
}
