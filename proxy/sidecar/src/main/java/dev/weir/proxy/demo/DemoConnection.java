package dev.weir.proxy.demo;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A connection of a client of the demo, with one request of HTTP/1.1 at a time. */
public final class DemoConnection implements AutoCloseable {
  private static final String CONTENT_LENGTH = "content-length:";
  private static final int LF = '\n';

  private final Socket socket = new Socket();
  private final InputStream in;

  public DemoConnection(InetSocketAddress to, int timeoutMs) throws IOException {
    try {
      socket.connect(to, timeoutMs);
      socket.setSoTimeout(timeoutMs);
      socket.setTcpNoDelay(true);
      in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException failed) {
      close();
      throw failed;
    }
  }

  /**
   * Sends a request.
   *
   * @param user null for one that does not say who it is.
   */
  public void send(String path, String user) throws IOException {
    String userField = user == null ? "" : "X-User-Id: " + user + "\r\n";
    String head = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + userField + "\r\n";
    socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
  }

  /** Reads the whole answer, of which Weir and the demo's service say the length; its status. */
  public int read() throws IOException {
    int status = Integer.parseInt(line().split(" ", 3)[1]);
    int length = 0;
    for (String field = line(); !field.isEmpty(); field = line()) {
      if (field.toLowerCase(Locale.ROOT).startsWith(CONTENT_LENGTH)) {
        length = Integer.parseInt(field.substring(CONTENT_LENGTH.length()).strip());
      }
    }
    in.skipNBytes(length);
    return status;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != LF; next = in.read()) {
      if (next < 0) {
        throw new EOFException("no answer");
      }
      line.append((char) next);
    }
    return line.toString().stripTrailing();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException gone) {
      // It is closed then.
    }
  }
}
