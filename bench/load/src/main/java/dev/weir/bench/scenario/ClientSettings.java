package dev.weir.bench.scenario;

import dev.weir.proxy.loop.TransportKind;
import io.netty.channel.epoll.Epoll;

/**
 * The client's side of a run.
 *
 * @param connections in all, spread over the targets by their part of the load.
 * @param streams at once on a connection of HTTP/2; 1 with HTTP/1.1.
 * @param requestsPerConnection after which a connection is closed and another opened; {@link
 *     #NO_END} for never.
 * @param eventLoops threads that send and receive.
 * @param timeoutNs after which a request without an answer is given up, from when it was started;
 *     one that cannot be started for so long is given up too.
 */
public record ClientSettings(
    Protocol protocol,
    int connections,
    int streams,
    int requestsPerConnection,
    int eventLoops,
    TransportKind transport,
    long timeoutNs,
    TlsSettings tls) {
  public static final int NO_END = 0;
  static final int MOST_CONNECTIONS = 60_000;
  static final int DEFAULT_CONNECTIONS = 16;

  /**
   * The transport of a load that nobody chose one for: epoll where there is one. At a rate of
   * 20,000/s io_uring takes a sixth more processor time for it and makes 149 bytes of garbage per
   * request, epoll next to none.
   */
  public static TransportKind usualTransport() {
    return Epoll.isAvailable() ? TransportKind.EPOLL : TransportKind.NIO;
  }
}
