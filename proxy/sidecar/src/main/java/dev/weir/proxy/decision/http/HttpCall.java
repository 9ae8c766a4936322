package dev.weir.proxy.decision.http;

import dev.weir.proxy.request.RequestView;
import org.agrona.DirectBuffer;

/** One request of HTTP that is to be answered; its endpoint's until then. */
public interface HttpCall {
  /** The head. Valid until the request is answered, as what is below is. */
  RequestView request();

  /** The body's bytes, from 0 to its capacity. */
  DirectBuffer body();

  /** When the head came, in the loop's time. */
  long arrivedNs();

  /** Keeps what its endpoint wants again until the request is answered. */
  void attach(Object kept);

  /** The object that was attached; null if none was. */
  Object attachment();

  /**
   * Begins the answer.
   *
   * @param status 200 to 599.
   * @return takes fields and body; it is sent by {@link HttpAnswer#send}.
   */
  HttpAnswer answer(int status);
}
