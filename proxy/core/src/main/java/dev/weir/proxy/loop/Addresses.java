package dev.weir.proxy.loop;

import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** Addresses of sockets as text. */
public final class Addresses {
  private Addresses() {}

  /**
   * An address as settings, logs and metrics write it, the same whether or not its name has been
   * resolved: {@code 127.0.0.1:8000}, {@code [::1]:8000}, {@code name:8000}, {@code
   * unix:/run/a.sock}.
   */
  public static String text(SocketAddress address) {
    if (!(address instanceof InetSocketAddress inet)) {
      return "unix:" + address;
    }
    String host = inet.getHostString();
    return (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + inet.getPort();
  }
}
