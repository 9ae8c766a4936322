package dev.weir.proxy.control;

import dev.weir.proxy.loop.ListeningSocket;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.upstream.UpstreamProtocol;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;

/** Addresses of sockets: {@code 127.0.0.1:8000}, {@code [::1]:8000}, {@code unix:/run/a.sock}. */
public final class AddressText {
  static final String EXPECTED_UPSTREAM =
      "http://, h2c:// or https://host:port, unix:/path or h2c+unix:/path";

  static final String EXPECTED_LISTEN = "host:port or unix:/path";

  private static final String HOST_NAME = "[A-Za-z0-9_]([A-Za-z0-9_.-]{0,252})";
  private static final int MAX_PORT = 65_535;

  private AddressText() {}

  /** Reads an address to listen on; port 0 is any free one. */
  static SocketAddress parseListen(String text) {
    if (text.startsWith("unix:")) {
      return unix(text, "unix:", EXPECTED_LISTEN);
    }
    int colon = text.lastIndexOf(':');
    if (colon < 1) {
      throw new BadValueException(text, EXPECTED_LISTEN);
    }
    return inet(text, text.substring(0, colon), text.substring(colon + 1), 0, EXPECTED_LISTEN);
  }

  /** The service behind: a URL without a path. */
  static SocketAddress parseUpstream(String text) {
    UpstreamProtocol protocol = protocol(text);
    if (protocol.socketScheme() != null && text.startsWith(protocol.socketScheme())) {
      return unix(text, protocol.socketScheme(), EXPECTED_UPSTREAM);
    }
    String authority = text.substring(protocol.scheme().length());
    if (authority.endsWith("/")) {
      authority = authority.substring(0, authority.length() - 1);
    }
    int bracket = authority.lastIndexOf(']');
    int colon = authority.indexOf(':', Math.max(bracket, 0));
    String host = colon < 0 ? authority : authority.substring(0, colon);
    String port =
        colon < 0 ? Integer.toString(protocol.standardPort()) : authority.substring(colon + 1);
    return inet(text, host, port, 1, EXPECTED_UPSTREAM);
  }

  /** How the service is spoken to, which its address begins with. */
  static UpstreamProtocol protocol(String text) {
    for (UpstreamProtocol protocol : UpstreamProtocol.values()) {
      boolean isSocket =
          protocol.socketScheme() != null && text.startsWith(protocol.socketScheme());
      if (isSocket || text.startsWith(protocol.scheme())) {
        return protocol;
      }
    }
    throw new BadValueException(text, EXPECTED_UPSTREAM);
  }

  /** Reads an address on which somebody else listens. */
  public static SocketAddress parseServer(String text) {
    if (parseListen(text) instanceof InetSocketAddress inet && inet.getPort() == 0) {
      throw new BadValueException(text, "a port from 1 to " + MAX_PORT);
    }
    return parseListen(text);
  }

  /** A name or an IPv4 address by which a client calls a server: without a port. */
  static String parseHost(String text) {
    if (!text.matches(HOST_NAME)) {
      throw new BadValueException(text, "a host name such as weir.internal");
    }
    return text;
  }

  private static SocketAddress unix(String text, String scheme, String expected) {
    String path = text.substring(scheme.length());
    if (!path.startsWith("/")) {
      throw new BadValueException(text, expected);
    }
    int maxBytes = ListeningSocket.MAX_PATH_BYTES;
    if (path.getBytes(StandardCharsets.UTF_8).length > maxBytes) {
      throw new BadValueException(text, "a path of at most " + maxBytes + " bytes");
    }
    try {
      return UnixDomainSocketAddress.of(path);
    } catch (InvalidPathException invalid) {
      throw new BadValueException(text, expected);
    }
  }

  private static SocketAddress inet(
      String text, String host, String port, int leastPort, String expected) {
    if (!port.matches("[0-9]{1,5}")) {
      throw new BadValueException(text, expected);
    }
    int number = Integer.parseInt(port);
    if (number < leastPort || number > MAX_PORT) {
      throw new BadValueException(text, "a port from " + leastPort + " to " + MAX_PORT);
    }
    if (host.startsWith("[") && host.endsWith("]") && host.indexOf(':') > 0) {
      return new InetSocketAddress(literal(text, host.substring(1, host.length() - 1)), number);
    }
    if (host.matches("[0-9.]+")) {
      return new InetSocketAddress(literal(text, host), number);
    }
    if (!host.matches(HOST_NAME)) {
      throw new BadValueException(text, expected);
    }
    return InetSocketAddress.createUnresolved(host, number);
  }

  private static InetAddress literal(String text, String host) {
    try {
      IpAddress address = Cidr.parse(host).address();
      ByteBuffer octets = ByteBuffer.allocate(16).putLong(address.high()).putLong(address.low());
      // Java turns an IPv4-mapped address into IPv4 by itself.
      return InetAddress.getByAddress(octets.array());
    } catch (BadValueException | UnknownHostException bad) {
      throw new BadValueException(text, "an IP address that is one, or a host name");
    }
  }
}
