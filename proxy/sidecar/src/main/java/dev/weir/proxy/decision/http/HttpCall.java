package dev.weir.proxy.decision.http;

import dev.weir.proxy.request.RequestView;
import org.agrona.DirectBuffer;

/** An HTTP request, until it is answered. */
public interface HttpCall {
  /** The head; valid until the request is answered, like the body. */
  RequestView request();

  /** The body's bytes, from 0 to its capacity. */
  DirectBuffer body();

  /** When the head arrived, in the loop's time. */
  long arrivedNs();

  /** Keeps an object for the endpoint until the request is answered. */
  void attach(Object kept);

  /** The attached object; null if there is none. */
  Object attachment();

  /**
   * Begins the response.
   *
   * @param status 200 to 599.
   * @return takes fields and body, and is sent by {@link HttpAnswer#send}.
   */
  HttpAnswer answer(int status);
}
