package dev.weir.bench.scenario;

import dev.weir.proxy.loop.TransportKind;
import io.netty.channel.epoll.Epoll;
import java.nio.file.Path;
import java.util.List;

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

  /**
   * How targets of {@code https} are spoken to.
   *
   * @param authorities a file of certificates to trust, PEM; null for those of the system.
   * @param insecure whether any certificate of the target's is taken.
   * @param resumes whether a connection goes on with the TLS session of one before, where the
   *     target offers that.
   * @param groups of key agreement that are offered, with the names of RFC 8446, the one that is
   *     liked best first; none for those that the library offers. The JDK's offers its own.
   */
  public record TlsSettings(
      Path authorities, boolean insecure, boolean resumes, List<String> groups) {
    /** The settings of a browser. */
    public static final TlsSettings USUAL = new TlsSettings(null, false, true);

    /** Offers the groups that the library does. */
    public TlsSettings(Path authorities, boolean insecure, boolean resumes) {
      this(authorities, insecure, resumes, List.of());
    }
  }
}
