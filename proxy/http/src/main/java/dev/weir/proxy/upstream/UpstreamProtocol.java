package dev.weir.proxy.upstream;

/** The protocol of the service, by the scheme of its address. */
public enum UpstreamProtocol {
  /** HTTP/1.1 without TLS. */
  HTTP1("http://", 80, "unix:"),

  /** HTTP/2 without TLS, with prior knowledge (RFC 9113, section 3.3). */
  H2C("h2c://", 80, "h2c+unix:"),

  /** TLS; ALPN chooses the version of HTTP. */
  HTTPS("https://", 443, null);

  private final String scheme;
  private final int standardPort;
  private final String socketScheme;

  UpstreamProtocol(String scheme, int standardPort, String socketScheme) {
    this.scheme = scheme;
    this.standardPort = standardPort;
    this.socketScheme = socketScheme;
  }

  /** The text before host and port. */
  public String scheme() {
    return scheme;
  }

  /** The default port. */
  public int standardPort() {
    return standardPort;
  }

  /** The prefix of a Unix socket's path; null if there is no such form. */
  public String socketScheme() {
    return socketScheme;
  }
}
