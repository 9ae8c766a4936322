package dev.weir.proxy.traffic;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A client of HTTP/1.1 on a kept connection that asks for one page at a time and keeps the answer
 * as text.
 */
public final class TextClient extends Peer {
  private String answer = "";

  TextClient(SocketChannel channel) {
    super(channel);
  }

  /**
   * Sends a request; {@link Traffic#exchange} brings the answer.
   *
   * @param user null for one that does not say who it is.
   */
  public void ask(String path, String user) throws IOException {
    String userField = user == null ? "" : "X-User-Id: " + user + "\r\n";
    String head = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + userField + "\r\n";
    answer = "";
    asked(1);
    write(ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)));
  }

  /** The last answer, head and body; empty if it has not come. */
  public String answer() {
    return answer;
  }

  /** The status of the last answer; 0 if it has not come. */
  public int status() {
    return answer.isEmpty() ? 0 : Integer.parseInt(answer.split(" ", 3)[1]);
  }

  @Override
  boolean take(ByteBuffer received) throws IOException {
    String head = Http1Text.head(received);
    String text = Http1Text.text(received);
    int start = received.position();
    if (head == null || !Http1Text.takeMessage(received, head)) {
      return false;
    }
    answer = text.substring(0, received.position() - start);
    answered();
    return true;
  }
}
