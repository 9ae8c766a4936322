package dev.weir.bench.scenario;

import dev.weir.proxy.rule.spec.BadValueException;
import java.net.URI;
import java.net.URISyntaxException;

/**
 * The server that takes requests.
 *
 * @param authority as the Host field and {@code :authority} name it; without a port that is the
 *     scheme's own.
 */
public record Target(boolean tls, String host, int port, String authority) {
  private static final String EXPECTED = "http://HOST[:PORT][/PATH] or https://...";
  private static final String PATH = "a path of visible ASCII, without a fragment";
  private static final int MAX_PORT = 65_535;

  /**
   * A URL in its two halves.
   *
   * @param path with the query; {@code /} if the URL has none.
   */
  record Located(Target target, String path) {}

  /**
   * Takes a URL apart. Its path may hold {@code {key}}, which no URI could.
   *
   * @throws BadValueException if it is none of http or https, or names no host.
   */
  static Located parse(String url) {
    final int scheme = url.indexOf("://");
    final int authorityEnd =
        scheme < 0 ? -1 : end(url.indexOf('/', scheme + 3), url.indexOf('?', scheme + 3), url);
    if (authorityEnd < 0) {
      throw new BadValueException(url, EXPECTED);
    }
    checkPath(url, url.substring(authorityEnd));
    if (url.indexOf('#') >= 0) {
      throw new BadValueException(url, PATH);
    }
    final URI server = server(url, url.substring(0, authorityEnd));
    final boolean tls = server.getScheme().equalsIgnoreCase("https");
    final int own = tls ? 443 : 80;
    final int port = server.getPort() >= 0 ? server.getPort() : own;
    final String authority = server.getHost() + (port == own ? "" : ":" + port);
    final String rest = url.substring(authorityEnd);
    return new Located(
        new Target(tls, bare(server.getHost()), port, authority),
        rest.startsWith("/") ? rest : "/" + rest);
  }

  private static int end(int slash, int query, String url) {
    return slash < 0
        ? query < 0 ? url.length() : query
        : query < 0 ? slash : Math.min(slash, query);
  }

  private static URI server(String url, String prefix) {
    try {
      final URI server = new URI(prefix).parseServerAuthority();
      final String scheme = server.getScheme();
      if (server.getHost() == null
          || server.getUserInfo() != null
          || server.getPort() == 0
          || server.getPort() > MAX_PORT
          || !(scheme.equalsIgnoreCase("http") || scheme.equalsIgnoreCase("https"))) {
        throw new BadValueException(url, EXPECTED);
      }
      return server;
    } catch (URISyntaxException malformed) {
      throw new BadValueException(url, EXPECTED);
    }
  }

  private static void checkPath(String url, String path) {
    for (int i = 0; i < path.length(); i++) {
      final char c = path.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        throw new BadValueException(url, PATH);
      }
    }
  }

  private static String bare(String host) {
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  @Override
  public String toString() {
    return (tls ? "https://" : "http://") + authority;
  }
}
