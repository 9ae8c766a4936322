package dev.weir.proxy.traffic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A client of HTTP/1.1 that sends one request at a time on a kept connection. */
final class Http1Client extends Peer {
  private static final String REQUEST =
      String.join(
          "\r\n",
          "GET /warm-up?page=1 HTTP/1.1",
          "Host: warm-up.invalid",
          "User-Agent: weir-warm-up",
          "Accept: */*",
          "Accept-Encoding: gzip, deflate",
          "X-User-Id: " + UserId.PLACE,
          "",
          "");

  private final byte[] request = REQUEST.getBytes(StandardCharsets.US_ASCII);
  private final UserId userId = new UserId(request);
  private final int firstUser;
  private int sentCount;

  /**
   * @param firstUser whose requests come first; those behind it are this client's too.
   */
  Http1Client(SocketChannel channel, int firstUser) {
    super(channel);
    this.firstUser = firstUser;
  }

  @Override
  void send() throws IOException {
    userId.write(firstUser + sentCount++ / Traffic.REQUESTS_OF_USER);
    asked(1);
    write(ByteBuffer.wrap(request));
  }

  @Override
  boolean take(ByteBuffer received) throws IOException {
    String head = Http1Text.head(received);
    if (head == null || !Http1Text.takeMessage(received, head)) {
      return false;
    }
    if (!head.startsWith("http/1.1 200 ") && !head.startsWith("http/1.1 429 ")) {
      throw new IOException("an answer of " + head.substring(0, head.indexOf('\r')));
    }
    answered();
    return true;
  }
}
