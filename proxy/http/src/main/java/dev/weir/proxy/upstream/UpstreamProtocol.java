package dev.weir.proxy.upstream;

/** The protocol that the service is spoken to by, as the scheme of its address says. */
public enum UpstreamProtocol {
  /** HTTP/1.1 in the clear. */
  HTTP1("http://", 80, "unix:"),

  /** HTTP/2 in the clear, known without asking (RFC 9113, section 3.3). */
  H2C("h2c://", 80, "h2c+unix:"),

  /** TLS, and the version of HTTP that its handshake agrees on. */
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

  /** The port, where none is given. */
  public int standardPort() {
    return standardPort;
  }

  /** The text before the path of a Unix-domain socket; null if there is no such form. */
  public String socketScheme() {
    return socketScheme;
  }
}
