package dev.weir.proxy.downstream;

/**
 * How much a client may take.
 *
 * @param headBytes of a request's head, its target included.
 * @param fieldCount in a head.
 * @param targetBytes of a request target.
 * @param connections in all.
 * @param connectionsPerAddress from one peer, or one network of IPv6; those of a Unix-domain socket
 *     or of a proxy that is believed are not counted, as many clients stand behind them.
 */
public record ClientCaps(
    int headBytes, int fieldCount, int targetBytes, int connections, int connectionsPerAddress) {
  /** Descriptors that are not a connection's: listeners, event loops, files. */
  private static final int OTHER_DESCRIPTORS = 64;

  /**
   * These caps, with no more connections than there are descriptors for.
   *
   * @param openFiles that the process may have.
   * @param descriptorsPerClient that it takes to have one client more of each kind.
   */
  public ClientCaps within(long openFiles, int descriptorsPerClient) {
    long most = Math.max(1, (openFiles - OTHER_DESCRIPTORS) / descriptorsPerClient);
    return new ClientCaps(
        headBytes,
        fieldCount,
        targetBytes,
        (int) Math.min(connections, most),
        connectionsPerAddress);
  }
}
