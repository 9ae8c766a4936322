package dev.weir.proxy.exchange;

import dev.weir.proxy.request.RequestView;

/**
 * The head of a response as the service's protocol has read it, in terms that every protocol has. A
 * client's side that speaks the same protocol copies the bytes of the head. Valid during the call
 * that passes it.
 */
public interface IncomingResponse {
  /** The status code, 100 to 599. */
  int status();

  /**
   * The fields, of which those are omitted that concern the service's connection alone; of the rest
   * of the view, only the bytes are set.
   */
  RequestView fields();

  /**
   * The content's length in bytes; -1 if the head gives none. If the response has no content, as
   * after HEAD, the length that the content would have.
   */
  long contentLength();

  /** Whether content may follow the head, or trailers. */
  boolean hasBody();

  /**
   * Units left of the service's own quota, by its {@code RateLimit} field; -1 if it has none that
   * can be read.
   */
  long rateLimitRemaining();

  /**
   * Whether the response comes from a service, so that {@code Via} is added; false for responses
   * that Weir makes itself.
   */
  default boolean isForwarded() {
    return true;
  }
}
