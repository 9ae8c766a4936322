package dev.weir.bench.compare;

import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Protocol;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** How clients speak to a proxy, and the proxy to the service. */
enum Wire {
  HTTP1("http/1.1", Protocol.HTTP1, false, "HTTP/1.1 on both sides"),
  HTTP2("h2", Protocol.HTTP2, false, "HTTP/2 with prior knowledge, to a service of HTTP/1.1"),
  GRPC(
      "grpc",
      Protocol.GRPC,
      false,
      "unary calls of gRPC, to a service of HTTP/2, both without TLS"),
  HTTPS("https", Protocol.HTTP1, true, "HTTP/1.1 over TLS 1.3, kept alive, to a service without"),
  HTTP2_TLS(
      "h2-tls", Protocol.HTTP2, true, "HTTP/2 over TLS 1.3, to a service of HTTP/1.1 without"),
  HANDSHAKES(
      "handshakes",
      Protocol.HTTP1,
      true,
      "a connection and a full handshake of TLS 1.3 with X25519 for each"),
  RESUMED(
      "resumed",
      Protocol.HTTP1,
      true,
      "a connection and a resumed handshake of TLS 1.3 with X25519 for each");

  private final String text;
  final Protocol protocol;
  final boolean tls;
  final String meaning;

  Wire(String text, Protocol protocol, boolean tls, String meaning) {
    this.text = text;
    this.protocol = protocol;
    this.tls = tls;
    this.meaning = meaning;
  }

  /** The wire of that name. */
  static Optional<Wire> parse(String text) {
    return Arrays.stream(values()).filter(wire -> wire.text.equals(text)).findFirst();
  }

  static List<String> names() {
    return Arrays.stream(values()).map(Wire::toString).toList();
  }

  /** Whether the service speaks HTTP/2, with prior knowledge; else HTTP/1.1. */
  boolean servedByHttp2() {
    return this == GRPC;
  }

  /** Whether clients may go on with TLS sessions of before. */
  boolean resumes() {
    return this != HANDSHAKES;
  }

  int requestsPerConnection() {
    return this == HANDSHAKES || this == RESUMED ? 1 : ClientSettings.NO_END;
  }

  /**
   * The requests that a warm-up reaches in the mean; far below what any contender takes. A JVM has
   * compiled what makes and ends a connection after some ten thousand of them.
   */
  double warmPerSecond() {
    return requestsPerConnection() == ClientSettings.NO_END ? 20_000 : 2_000;
  }

  /** The part of TLS handshakes that is not of the kind that is meant, from 0 to 1. */
  double wrongShare(long handshakes, long resumed) {
    if (requestsPerConnection() == ClientSettings.NO_END || handshakes == 0) {
      return 0;
    }
    return (double) (this == RESUMED ? handshakes - resumed : resumed) / handshakes;
  }

  /** The name on the command line and in reports. */
  @Override
  public String toString() {
    return text;
  }
}
