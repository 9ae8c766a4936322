package dev.weir.proxy.cli;

import dev.weir.proxy.loop.Addresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;

/** Asks the admin port of a running sidecar for a page. */
final class AdminPort {
  /** The longest target, as the admin port takes no longer ones. */
  private static final int MAX_TARGET_BYTES = 15 << 10;

  private static final int MAX_ANSWER_BYTES = 4 << 20;

  private final SocketAddress address;

  AdminPort(SocketAddress address) {
    this.address =
        address instanceof InetSocketAddress inet && inet.isUnresolved()
            ? new InetSocketAddress(inet.getHostString(), inet.getPort())
            : address;
  }

  /** The parameters of a page's target. */
  static final class Parameters {
    private final StringJoiner text = new StringJoiner("&", "?", "").setEmptyValue("");

    /** Adds one; a null value adds none. */
    Parameters add(String name, String value) {
      if (value != null) {
        text.add(name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8));
      }
      return this;
    }
  }

  /** An answer: its status, and its body as text. */
  record Answer(int status, String body) {}

  /**
   * Gets a page.
   *
   * @throws IOException if nobody answers; its message names the address.
   */
  Answer get(String path, Parameters parameters) throws IOException {
    String target = path + parameters.text;
    if (target.length() > MAX_TARGET_BYTES) {
      throw new IOException(
          "request: too long for the admin port (expected: " + MAX_TARGET_BYTES + " bytes)");
    }
    String head = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    byte[] answer;
    try (SocketChannel channel = SocketChannel.open(address)) {
      ByteBuffer out = ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII));
      while (out.hasRemaining()) {
        channel.write(out);
      }
      answer = Channels.newInputStream(channel).readNBytes(MAX_ANSWER_BYTES);
    } catch (IOException e) {
      throw new IOException(Addresses.text(address) + ": " + e.getMessage(), e);
    }
    String text = new String(answer, StandardCharsets.UTF_8);
    int bodyAt = text.indexOf("\r\n\r\n");
    if (bodyAt < 0 || !text.matches("(?s)HTTP/1\\.1 [0-9]{3} .*")) {
      throw new IOException(Addresses.text(address) + ": no answer of an admin port");
    }
    return new Answer(Integer.parseInt(text.substring(9, 12)), text.substring(bodyAt + 4));
  }
}
