package dev.weir.proxy.exchange;

import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;

/**
 * The service's side of one exchange, in any protocol: sends a request, and passes the response to
 * the {@link ProxiedRequest}. It ends with the response, with {@link ProxiedRequest#serviceReset}
 * or with {@link #reset}, whichever comes first; no call follows. All calls are on the event loop
 * of both sides.
 *
 * <p>A failure within one of these calls is told by {@link ProxiedRequest#serviceReset}, too; the
 * request acts on it when the call has returned.
 */
public non-sealed interface ServiceSide extends Origin.Opening {
  @Override
  default ServiceSide side() {
    return this;
  }

  /** Takes over the bytes of {@code head}. */
  void head(EncodedHead head);

  /**
   * Takes over {@code bytes} of the body, in the form that its head said, or of a tunnel.
   *
   * @param bytes may be empty.
   * @param end whether they are the last. In a tunnel the service may still send.
   * @return how many of them are held and count against the client's flow-control window, until
   *     {@link ProxiedRequest#requestConsumed}; 0 if there is room, or the exchange has ended.
   */
  int data(ByteBuf bytes, boolean end);

  /**
   * Whether {@link #data} has copied or sent the bytes when it returns, and keeps no index of the
   * buffer: a caller may then lend bytes of a buffer of its own.
   */
  default boolean copiesData() {
    return false;
  }

  /**
   * Ends the body with trailers, behind data of the form {@link BodyForm#DATA} that did not end it;
   * a protocol that has no place for them there ends the body alone.
   *
   * @param fields valid during the call; of the view, only bytes and fields are set.
   */
  void trailers(RequestView fields);

  /** Flushes what has been written. */
  void flush();

  /**
   * The client has consumed bytes of the response that it had held.
   *
   * @param bytes 1 or more.
   */
  void responseConsumed(int bytes);

  /**
   * Ends the exchange here; the rest of the response is discarded.
   *
   * @param how why.
   * @param errorCode the client's error code in HTTP/2's numbers (RFC 9113, section 7); {@link
   *     RequestEnd#NO_CODE} if it gave none.
   */
  void reset(RequestEnd.How how, int errorCode);
}
