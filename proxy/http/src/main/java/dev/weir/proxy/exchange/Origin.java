package dev.weir.proxy.exchange;

import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.RefusalReason;

/** The service behind the proxy, whatever it speaks. One per event loop. */
public interface Origin {
  /**
   * The answer to a request for a connection: the connection, or the reason why there is none yet.
   */
  sealed interface Opening permits ServiceSide, Pending {
    /** The connection; null if there is none yet. */
    ServiceSide side();
  }

  /** Why a request has no connection yet. */
  enum Pending implements Opening {
    /** One is being made for it. */
    CONNECTING,

    /** The request waits for one to become free, maybe in vain. */
    QUEUED,

    /** There is neither a connection nor a place to wait; it has been forgotten. */
    BUSY;

    @Override
    public ServiceSide side() {
      return null;
    }
  }

  /**
   * Whether {@link #open} would fail at once for want of a connection: what is refused now need not
   * be decided first.
   *
   * @param client the request's {@link ClientKey}.
   * @param upgrade whether it may become a tunnel.
   */
  boolean isFull(long client, boolean upgrade);

  /**
   * Whether one connection carries many exchanges: none is asked to wait until the body has come,
   * as its place on a connection is no other's loss.
   */
  boolean multiplexes();

  /** Whether connections are so scarce that none should wait for a client's bytes. */
  boolean isScarce();

  /**
   * Writes a head in the service's protocol.
   *
   * @param head valid during the call.
   * @param out takes the bytes over.
   */
  void encode(IncomingRequest head, EncodedHead out);

  /**
   * Finds a connection for one request. If one is returned, nobody is told anything. Else, but for
   * {@link Pending#BUSY}, {@link ProxiedRequest#opened} or {@link ProxiedRequest#serviceReset} is
   * called later; never within the call of another client. With {@link RefusalReason#UPSTREAM_BUSY}
   * the service has not heard of the request.
   *
   * @param client the request's {@link ClientKey}.
   */
  Opening open(ProxiedRequest request, long client);

  /** The request no longer waits for a connection. */
  void forget(ProxiedRequest request);

  /**
   * Whether requests go on to a service: then each path has one spelling, and a call of gRPC is
   * refused in gRPC's own form, with a status of 200. False where requests are answered: there the
   * path is what the client sent, and a status of 200 says something of its own.
   */
  default boolean forwards() {
    return true;
  }

  /** Closes the connections that nobody uses: the process is ending. */
  void closeIdle();
}
