package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;

/**
 * The client's side of one exchange, in any protocol. It starts a request with {@link
 * ProxiedRequest#start}, and receives the response. All calls are on the event loop of both sides.
 *
 * <p>An exchange ends in exactly one of three ways: by a refusal, which is returned to the client's
 * side or passed to {@link #refuse}; by the end of the response, followed by {@link #ended}; or by
 * {@link #reset}. If the client disconnects, this side calls {@link ProxiedRequest#clientGone}, and
 * receives no further call.
 */
public interface ClientSide {
  /** The protocol of the request in flight, by which figures tell requests apart. */
  Protocol protocol();

  /**
   * The request may pass, or has got its connection: this side now passes on what it has of the
   * body, by {@link ProxiedRequest#data} and {@link ProxiedRequest#bodyRead}. Called only if the
   * verdict or the connection came late.
   */
  void giveBody();

  /**
   * The encoded head waits for its verdict, its body or a connection; or the service's side has
   * copied the request into memory of its own.
   *
   * @param bytes of memory that this takes; 0 if it waits no more. The end of the exchange is not
   *     reported here.
   */
  void headWaits(int bytes);

  /**
   * The service has consumed bytes of the request that it had held: the flow-control window may be
   * opened by them.
   *
   * @param bytes 1 or more.
   */
  void requestConsumed(int bytes);

  /**
   * The service's side was reset before it had answered, or before it had the whole request,
   * because of the client: the client stopped waiting, or was answered early. This counts against
   * the client as a reset of its own would. The end of the exchange follows. {@link ProxiedRequest}
   * lists the causes.
   */
  default void brokeOff() {}

  /**
   * Sends a refusal that came too late to be returned by a call of the client's side.
   *
   * @param verdict valid during the call.
   */
  void refuse(Verdict verdict);

  /** Sends 100 (Continue) at once (RFC 9110, section 10.1.1). It is no response of the service. */
  void sayContinue();

  /**
   * Passes on an informational response; another response follows.
   *
   * @return how many bytes of it this side holds, as in {@link #responseData}.
   */
  int informational(IncomingResponse head);

  /**
   * Passes on the head of the response that accepts an upgrade: all data after it belongs to the
   * tunnel.
   */
  void switched(IncomingResponse head);

  /**
   * Passes on the head of the final response.
   *
   * @param limit that the request has passed, for the fields that tell the client.
   * @param wantsContent whether the body must come as {@link BodyForm#DATA}, unless its framing
   *     adds no bytes to the content.
   * @return the form in which this side wants the body: {@link BodyForm#AS_FRAMED} only if the
   *     service speaks the client's protocol.
   */
  BodyForm responseHead(IncomingResponse head, PassedLimit limit, boolean wantsContent);

  /**
   * Takes over {@code bytes} of the body, in the form that was asked for, or of a tunnel.
   *
   * @param bytes may be empty.
   * @param end whether they are the last, and to be sent at once. In a tunnel the client may still
   *     send.
   * @return how many of them are held and count against the service, until {@link
   *     ProxiedRequest#responseConsumed} says that they are on their way; 0 if there is room.
   */
  int responseData(ByteBuf bytes, boolean end);

  /**
   * Whether {@link #responseData} has copied or sent the bytes when it returns, as in {@link
   * ServiceSide#copiesData}.
   */
  default boolean copiesData() {
    return false;
  }

  /**
   * Passes on trailers, which end the response, if its protocol has a place for them.
   *
   * @param fields valid during the call; of the view, only bytes and fields are set.
   */
  void responseTrailers(RequestView fields);

  /** Flushes what has been written. */
  void flushResponse();

  /** The exchange has ended in order: the whole response has been passed on. */
  void ended();

  /**
   * The response is truncated, and the client must be able to see that.
   *
   * @param how why.
   * @param errorCode the service's error code in HTTP/2's numbers (RFC 9113, section 7); {@link
   *     RequestEnd#NO_CODE} if it gave none.
   */
  void reset(RequestEnd.How how, int errorCode);

  /**
   * Refuses the rest of a request whose response has begun: ends the response with a status, if the
   * protocol has one behind the content, or resets it. {@link #ended} does not follow.
   *
   * @param verdict valid during the call.
   */
  default void refuseRest(Verdict verdict) {
    reset(RequestEnd.How.REFUSED_HERE, RequestEnd.NO_CODE);
  }

  /**
   * An unexpected exception has ended the exchange; it is unknown how much the client has received.
   */
  void failed(Throwable bug);
}
