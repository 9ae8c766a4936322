package dev.weir.bench.scenario;

import dev.weir.proxy.loop.TransportKind;
import io.netty.channel.epoll.Epoll;
import java.nio.file.Path;

/**
 * The client's side of a run.
 *
 * @param connections in all, spread over the targets by their part of the load.
 * @param streams at once on a connection of HTTP/2; 1 with HTTP/1.1.
 * @param eventLoops threads that send and receive.
 * @param timeoutNs after which a request without an answer is given up, from when it was started;
 *     one that cannot be started for so long is given up too.
 * @param authorities a file of certificates to trust, PEM; null for those of the system.
 * @param insecure whether any certificate of the target's is taken.
 */
public record ClientSettings(
    Protocol protocol,
    int connections,
    int streams,
    int eventLoops,
    TransportKind transport,
    long timeoutNs,
    Path authorities,
    boolean insecure) {
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
