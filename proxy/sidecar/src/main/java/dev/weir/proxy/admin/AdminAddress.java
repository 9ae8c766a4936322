package dev.weir.proxy.admin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/** Addresses of the admin port and the monitoring port: which they may have, and as text. */
final class AdminAddress {
  private AdminAddress() {}

  /**
   * The address to bind to, a host name resolved.
   *
   * @throws IllegalArgumentException for anything but a loopback address or a Unix-domain socket.
   */
  static SocketAddress check(SocketAddress address) {
    SocketAddress resolved = resolved(address);
    if (!(resolved instanceof InetSocketAddress inet) || inet.getAddress().isLoopbackAddress()) {
      return resolved;
    }
    throw new IllegalArgumentException(
        text(address)
            + " (expected: a loopback address or a Unix-domain socket,"
            + " for there is no authentication yet)");
  }

  /**
   * The address, a host name resolved.
   *
   * @throws IllegalArgumentException for a name that does not.
   */
  static SocketAddress resolved(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet) || !inet.isUnresolved()) {
      return address;
    }
    try {
      return new InetSocketAddress(InetAddress.getByName(inet.getHostString()), inet.getPort());
    } catch (UnknownHostException unknown) {
      throw new IllegalArgumentException(
          text(address) + " (expected: a host name that resolves)", unknown);
    }
  }

  /** An address as it is written in settings. */
  static String text(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return "unix:" + address;
    }
    String host = inet.isUnresolved() ? inet.getHostString() : inet.getAddress().getHostAddress();
    return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + inet.getPort();
  }
}
