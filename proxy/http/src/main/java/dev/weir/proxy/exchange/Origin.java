package dev.weir.proxy.exchange;

import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.RefusalReason;

/** The service behind the proxy, in any protocol. One per event loop. */
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
    /** A connection is being opened for the request. */
    CONNECTING,

    /** The request waits in the queue for a free connection, which may not come in time. */
    QUEUED,

    /** There is no free connection, and the queue is full; the request is not queued. */
    BUSY;

    @Override
    public ServiceSide side() {
      return null;
    }
  }

  /**
   * Whether {@link #open} would fail at once for want of a connection, so that the request can be
   * refused before it is decided.
   *
   * @param client the request's {@link ClientKey}.
   * @param upgrade whether it may become a tunnel.
   */
  boolean isFull(long client, boolean upgrade);

  /**
   * Whether one connection carries many exchanges. A request then takes its place before its body
   * has arrived, as that keeps no other request from a connection.
   */
  boolean multiplexes();

  /** Whether connections are so scarce that none should wait for a client's body. */
  boolean isScarce();

  /**
   * Writes a head in the service's protocol.
   *
   * @param head valid during the call.
   * @param out takes the bytes over.
   */
  void encode(IncomingRequest head, EncodedHead out);

  /**
   * Finds a connection for a request. If it returns a connection, no callback follows. Otherwise,
   * except for {@link Pending#BUSY}, {@link ProxiedRequest#opened} or {@link
   * ProxiedRequest#serviceReset} is called later, never within a call of another client. {@link
   * RefusalReason#UPSTREAM_BUSY} means that the service has not received the request.
   *
   * @param client the request's {@link ClientKey}.
   */
  Opening open(ProxiedRequest request, long client);

  /** Forgets a request that no longer waits for a connection. */
  void forget(ProxiedRequest request);

  /**
   * Whether requests are forwarded to a service: then a path is normalised, and a gRPC call is
   * refused in gRPC's form with HTTP status 200. False if requests are answered here: then a path
   * is as the client sent it, and status 200 has a meaning of its own.
   */
  default boolean forwards() {
    return true;
  }

  /** Closes unused connections, as the process is ending. */
  void closeIdle();
}
