package dev.weir.proxy.upstream;

import java.net.SocketAddress;

/** What one connection to the service counts as, and for whom. Kept by its {@link UpstreamPool}. */
final class ConnectionPlace {
  /** What a connection counts as. */
  enum Use {
    /** Not handed over yet. */
    NEW,
    IDLE,
    EXCHANGE,
    STREAM,
    /** Nothing any more: it is closed, or about to be. */
    NONE
  }

  private Use use = Use.NEW;
  private long client;
  private SocketAddress[] targets;

  Use use() {
    return use;
  }

  void use(Use newUse) {
    use = newUse;
  }

  /** The connection counts as an exchange of that client. */
  void exchangeOf(long clientKey) {
    use = Use.EXCHANGE;
    client = clientKey;
  }

  /** The key of the client that it is in use for, or was last. */
  long client() {
    return client;
  }

  /** The service's addresses when it was made: if they are others now, it is not used again. */
  SocketAddress[] targets() {
    return targets;
  }

  void madeTo(SocketAddress[] addresses) {
    targets = addresses;
  }
}
