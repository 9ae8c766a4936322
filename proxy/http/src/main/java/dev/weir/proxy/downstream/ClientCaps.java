package dev.weir.proxy.downstream;

/**
 * The bounds on clients.
 *
 * @param headBytes of a request's head, its target included.
 * @param fieldCount in a head.
 * @param targetBytes of a request target.
 * @param connections of all clients.
 * @param connectionsPerAddress of one IPv4 address or one IPv6 network. Connections of Unix sockets
 *     and trusted proxies are not counted, as each stands for many clients.
 */
public record ClientCaps(
    int headBytes, int fieldCount, int targetBytes, int connections, int connectionsPerAddress) {
  /** File descriptors for anything but connections: listeners, event loops, files. */
  private static final int OTHER_DESCRIPTORS = 64;

  /**
   * These caps, with no more connections than there are file descriptors for.
   *
   * @param openFiles that the process may have.
   * @param descriptorsPerClient descriptors for one more client connection of each kind.
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
