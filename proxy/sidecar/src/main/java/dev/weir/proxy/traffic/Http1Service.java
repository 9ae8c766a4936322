package dev.weir.proxy.traffic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A service of HTTP/1.1 that answers requests, and calls of gRPC with trailers. */
final class Http1Service extends Peer {
  private static final byte[] ANSWER =
      bytes("HTTP/1.1 200 OK", "Content-Type: text/plain", "Content-Length: 13", "", "the service");

  private static final byte[] CALL_ANSWER =
      bytes(
          "HTTP/1.1 200 OK",
          "Content-Type: application/grpc",
          "Transfer-Encoding: chunked",
          "",
          "5",
          "\0\0\0\0\0",
          "0",
          "grpc-status: 0",
          "");

  private final Runnable counting;

  /**
   * @param counting is run for each request.
   */
  Http1Service(SocketChannel channel, Runnable counting) {
    super(channel);
    this.counting = counting;
  }

  private static byte[] bytes(String... lines) {
    return (String.join("\r\n", lines) + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  boolean take(ByteBuffer received) throws IOException {
    String head = Http1Text.head(received);
    if (head == null || !Http1Text.takeMessage(received, head)) {
      return false;
    }
    counting.run();
    write(ByteBuffer.wrap(head.contains("application/grpc") ? CALL_ANSWER : ANSWER));
    return true;
  }
}
