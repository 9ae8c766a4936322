package dev.weir.proxy.exchange;

import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;

/**
 * The client's side of one exchange, in whatever protocol: has a request asked for with {@link
 * ProxiedRequest#start}, and takes its response. All calls are on the event loop of both sides.
 *
 * <p>Exactly one of these ends it: a refusal, returned to it or told by {@link #refuse}; the last
 * of the response, followed by {@link #ended}; or {@link #reset}. If the client leaves, it says so
 * with {@link ProxiedRequest#clientGone}, and is told nothing more.
 */
public interface ClientSide {
  /** The protocol of the request in flight, by which figures tell requests apart. */
  Protocol protocol();

  /**
   * The request may pass, or has its connection: gives what there is of its body, by {@link
   * ProxiedRequest#data} and {@link ProxiedRequest#bodyRead}. Called only where that has come late.
   */
  void giveBody();

  /**
   * The head waits, as it was written for the service, for its verdict, its body or a connection;
   * or the service's side has copied the request into memory of its own.
   *
   * @param bytes of memory that it takes; 0 if it waits no more. Its end is not told.
   */
  void headWaits(int bytes);

  /**
   * The service has consumed bytes of the request that had been held.
   *
   * @param bytes 1 or more.
   */
  void requestConsumed(int bytes);

  /**
   * The service was told that the exchange is over before it had answered, or before it had the
   * whole request: for what the client did, as it waits no longer, or as it was answered early.
   * Counts against the client as if it had reset the exchange itself. What ends the exchange
   * follows. {@link ProxiedRequest} has the causes.
   */
  default void brokeOff() {}

  /**
   * Answers the request here, as it was refused later than within a call of the client's side.
   *
   * @param verdict valid during the call.
   */
  void refuse(Verdict verdict);

  /**
   * Tells the client to send the content (RFC 9110, section 10.1.1), at once. It counts against
   * nobody: the service has not sent it.
   */
  void sayContinue();

  /**
   * Passes on a response that another one follows.
   *
   * @return how many bytes it holds, as in {@link #responseData}.
   */
  int informational(IncomingResponse head);

  /** Passes on the head with which the connection becomes a tunnel: all data is the tunnel's. */
  void switched(IncomingResponse head);

  /**
   * Passes on the final head.
   *
   * @param limit that the request has passed, of which the client may be told.
   * @return how the body is wanted. {@link BodyForm#AS_FRAMED} may be said of the client's own
   *     protocol only.
   */
  BodyForm responseHead(IncomingResponse head, PassedLimit limit);

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

  /** Whether {@link #responseData} does as {@link ServiceSide#copiesData} says. */
  default boolean copiesData() {
    return false;
  }

  /**
   * Passes on trailers, which end the response, if its protocol has a place for them.
   *
   * @param fields valid during the call; of the view, only bytes and fields are set.
   */
  void responseTrailers(RequestView fields);

  /** Sends what has been passed on. */
  void flushResponse();

  /** The exchange has ended in order, and all of the response has been passed on. */
  void ended();

  /**
   * The response will not be whole, and the client must not take what it has for all there is.
   *
   * @param how why.
   * @param errorCode what the service gave as the reason, in the numbers of HTTP/2 (RFC 9113,
   *     section 7); {@link RequestEnd#NO_CODE} if it gave none.
   */
  void reset(RequestEnd.How how, int errorCode);

  /**
   * The rest of the request is refused, and the response has begun: ends it with what the protocol
   * can say of that behind what the client has, or resets it, and {@link #ended} does not follow.
   *
   * @param verdict valid during the call.
   */
  default void refuseRest(Verdict verdict) {
    reset(RequestEnd.How.REFUSED_HERE, RequestEnd.NO_CODE);
  }

  /** Something of ours has failed: nobody knows what the client has been told. */
  void failed(Throwable bug);
}
