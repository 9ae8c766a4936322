package dev.weir.proxy.exchange;

import dev.weir.proxy.request.RequestView;

/**
 * The head of a response as the service's protocol has read it: what every protocol can say of it.
 * The side that passes it on looks whether it is of its own protocol, and then copies its bytes.
 * Valid during the call that hands it over.
 */
public interface IncomingResponse {
  /** The status code, 100 to 599. */
  int status();

  /** The fields; of the rest of the view, only the bytes are set. */
  RequestView fields();

  /**
   * The content's length in bytes; -1 if the head gives none. Where there is no content, as after
   * HEAD, the length that there would be.
   */
  long contentLength();

  /** Whether content may follow the head, or trailers. */
  boolean hasBody();

  /** Units that the service says are left of its own quota; -1 if it says nothing readable. */
  long rateLimitRemaining();

  /** Whether a field concerns the service's connection alone, and is not passed on. */
  boolean omits(int fieldIndex);

  /**
   * Whether it comes from a service, and says by Via what way it took; else Weir answers itself.
   */
  default boolean isForwarded() {
    return true;
  }
}
