package dev.weir.proxy.http;

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

  /** Whether a field concerns the service's connection alone, and is not passed on. */
  boolean omits(int fieldIndex);
}
