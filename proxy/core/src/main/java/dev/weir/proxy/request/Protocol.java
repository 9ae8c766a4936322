package dev.weir.proxy.request;

/** The protocol of a request, as figures tell requests apart. */
public enum Protocol {
  /** HTTP/1.0 or HTTP/1.1. */
  HTTP1("HTTP/1.1"),

  /** HTTP/2, but for calls of gRPC. */
  HTTP2("HTTP/2"),

  /** A call of gRPC or gRPC-Web, whatever carries it. */
  GRPC("gRPC");

  private final String text;

  Protocol(String text) {
    this.text = text;
  }

  /** The name on pages. */
  @Override
  public String toString() {
    return text;
  }
}
