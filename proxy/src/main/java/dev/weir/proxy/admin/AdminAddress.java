package dev.weir.proxy.admin;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;

/** The address of the admin port: which ones it may have, and how they are written. */
final class AdminAddress {
  private AdminAddress() {}

  /**
   * The address to bind to, a host name resolved.
   *
   * @throws IllegalArgumentException for anything but a loopback address or a Unix-domain socket.
   */
  static SocketAddress check(SocketAddress address) {
    if (address instanceof UnixDomainSocketAddress) {
      return address;
    }
    if (address instanceof InetSocketAddress inet) {
      InetAddress ip = inet.isUnresolved() ? resolve(inet) : inet.getAddress();
      if (ip.isLoopbackAddress()) {
        return new InetSocketAddress(ip, inet.getPort());
      }
    }
    throw new IllegalArgumentException(
        text(address)
            + " (expected: a loopback address or a Unix-domain socket,"
            + " for there is no authentication yet)");
  }

  private static InetAddress resolve(InetSocketAddress address) {
    try {
      return InetAddress.getByName(address.getHostString());
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
