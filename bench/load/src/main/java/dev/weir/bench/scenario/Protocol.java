package dev.weir.bench.scenario;

import dev.weir.proxy.rule.spec.BadValueException;

/** How requests travel. Whether through TLS is a matter of the target. */
public enum Protocol {
  HTTP1("http/1.1"),
  /** With prior knowledge (h2c) without TLS, by ALPN with it. */
  HTTP2("h2"),
  /** Unary calls over HTTP/2. */
  GRPC("grpc");

  private final String text;

  Protocol(String text) {
    this.text = text;
  }

  /** Reads the name; {@code h2c} is the one of {@link #HTTP2} too. */
  static Protocol parse(String text) {
    for (Protocol protocol : values()) {
      if (protocol.text.equals(text)) {
        return protocol;
      }
    }
    if (text.equals("h2c")) {
      return HTTP2;
    }
    throw new BadValueException(text, "http/1.1, h2, h2c or grpc");
  }

  @Override
  public String toString() {
    return text;
  }
}
