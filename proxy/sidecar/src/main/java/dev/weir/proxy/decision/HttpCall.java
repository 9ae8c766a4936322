package dev.weir.proxy.decision;

import dev.weir.proxy.request.RequestView;
import org.agrona.DirectBuffer;

/** One request of HTTP that is to be answered; its endpoint's until then. */
public interface HttpCall extends AwaitingCall {
  /** The head. Valid until the request is answered, as what is below is. */
  RequestView request();

  /** The body's bytes, from 0 to its capacity. */
  DirectBuffer body();

  /** When the head came, in the loop's time. */
  long arrivedNs();

  /**
   * Begins the answer.
   *
   * @param status 200 to 599.
   * @return takes fields and body; it is sent by {@link HttpAnswer#send}.
   */
  HttpAnswer answer(int status);
}
