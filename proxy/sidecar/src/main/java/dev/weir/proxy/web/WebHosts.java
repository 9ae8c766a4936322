package dev.weir.proxy.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The host names that the admin port answers to. A page that a browser has loaded from elsewhere
 * may point a name of its own at this machine (DNS rebinding), and could then read what only this
 * machine may; but its requests have that name. So over TCP only loopback addresses, {@code
 * localhost}, the port's own address and names from the settings are answered; over a Unix socket,
 * which no browser can use, any.
 */
final class WebHosts {
  private static final Set<String> SCHEMES = Set.of("http://", "https://");

  /** Every host, for a port that is open to other machines. */
  static final WebHosts ANY = new WebHosts(true, null, Set.of());

  private final boolean any;
  private final InetAddress bound;
  private final Set<String> names;

  private WebHosts(boolean any, InetAddress bound, Set<String> names) {
    this.any = any;
    this.bound = bound;
    this.names = names;
  }

  /**
   * The hosts of the admin port.
   *
   * @param address of the port; null for none.
   * @param names in any case.
   */
  static WebHosts of(SocketAddress address, List<String> names) {
    return address instanceof InetSocketAddress inet
        ? new WebHosts(
            false,
            inet.getAddress(),
            names.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet()))
        : ANY;
  }

  /**
   * Whether every host that a request names is one of these. A request of HTTP/1.0 may name none.
   */
  boolean answers(HttpRequest request) {
    if (any) {
      return true;
    }
    List<String> fields = request.headers().getAll(HttpHeaderNames.HOST);
    boolean isEnough = fields.size() == 1 || request.protocolVersion().equals(HttpVersion.HTTP_1_0);
    return isEnough && fields.stream().allMatch(this::answersHost) && answersTarget(request.uri());
  }

  private boolean answersTarget(String target) {
    for (String scheme : SCHEMES) {
      if (target.regionMatches(true, 0, scheme, 0, scheme.length())) {
        return answersHost(target.substring(scheme.length()).replaceFirst("[/?#].*", ""));
      }
    }
    return true;
  }

  /**
   * @param authority a host, and perhaps a port.
   */
  private boolean answersHost(String authority) {
    String host = authority.replaceFirst(":[0-9]*$", "");
    if (host.startsWith("[") && host.endsWith("]")) {
      return answersAddress(host.substring(1, host.length() - 1));
    }
    String name = host.toLowerCase(Locale.ROOT).replaceFirst("\\.$", "");
    return name.equals("localhost") || names.contains(name) || answersAddress(name);
  }

  private boolean answersAddress(String text) {
    byte[] octets = NetUtil.createByteArrayFromIpAddressString(text);
    if (octets == null) {
      return false;
    }
    try {
      InetAddress address = InetAddress.getByAddress(octets);
      return address.isLoopbackAddress() || address.equals(bound);
    } catch (UnknownHostException wrongLength) {
      throw new AssertionError("an address has four octets, or sixteen", wrongLength);
    }
  }
}
