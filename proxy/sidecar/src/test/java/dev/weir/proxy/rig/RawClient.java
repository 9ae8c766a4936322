package dev.weir.proxy.rig;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A client that sends what it is told and reads strictly what comes. Bytes are Latin-1 texts. */
public final class RawClient implements AutoCloseable {
  private static final int TIMEOUT_MS = 60_000;

  private final Socket socket;
  private final InputStream in;

  /**
   * A response as it came.
   *
   * @param head with the empty line at its end.
   * @param body without chunked framing.
   */
  public record Response(String head, String body) {
    public int status() {
      return Integer.parseInt(head.substring(9, 12));
    }

    /** The value of the first field of that name; null if there is none. */
    public String field(String name) {
      for (String line : head.split("\r\n")) {
        if (line.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + ':')) {
          return line.substring(name.length() + 1).strip();
        }
      }
      return null;
    }

    /** What the RateLimit field says is left. */
    public long remaining() {
      String field = field("RateLimit");
      int at = field.indexOf(";r=") + 3;
      return Long.parseLong(field.substring(at, field.indexOf(';', at)));
    }
  }

  public RawClient(SocketAddress address) throws IOException {
    this(address, 0);
  }

  /**
   * @param receiveBufferBytes 0 for the system's default.
   */
  public RawClient(SocketAddress address, int receiveBufferBytes) throws IOException {
    socket = new Socket();
    if (receiveBufferBytes > 0) {
      socket.setReceiveBufferSize(receiveBufferBytes);
    }
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MS);
    InetSocketAddress inet = (InetSocketAddress) address;
    socket.connect(inet, TIMEOUT_MS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Takes over a socket that is connected, such as one that encrypts. */
  public RawClient(Socket connected) throws IOException {
    socket = connected;
    socket.setSoTimeout(TIMEOUT_MS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  public RawClient send(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  public Response read() throws IOException {
    return read(false);
  }

  /**
   * Reads one response.
   *
   * @throws EOFException if the connection ends within it.
   */
  public Response read(boolean headMethod) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int matched = 0;
    while (matched < 4) {
      int b = take();
      bytes.write(b);
      matched = b == "\r\n\r\n".charAt(matched) ? matched + 1 : b == '\r' ? 1 : 0;
    }
    Response head = new Response(bytes.toString(StandardCharsets.ISO_8859_1), "");
    int status = head.status();
    if (headMethod || status < 200 || status == 204 || status == 304) {
      return head;
    }
    return new Response(head.head(), body(head));
  }

  private String body(Response head) throws IOException {
    String length = head.field("Content-Length");
    if ("chunked".equals(head.field("Transfer-Encoding"))) {
      if (length != null) {
        throw new AssertionError("both framings: " + head.head());
      }
      StringBuilder body = new StringBuilder();
      while (true) {
        int size = Integer.parseInt(line(), 16);
        if (size == 0) {
          while (!line().isEmpty()) {
            // Trailer fields are not looked at.
          }
          return body.toString();
        }
        body.append(take(size));
        if (!line().isEmpty()) {
          throw new AssertionError("no end of line behind a chunk");
        }
      }
    }
    return length == null ? readToEnd() : take(Integer.parseInt(length));
  }

  /** Reads a line and takes its end off. */
  public String line() throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int b = take();
      if (b == '\r') {
        if (take() != '\n') {
          throw new AssertionError("a bare CR behind " + line);
        }
        return line.toString();
      }
      line.append((char) b);
    }
  }

  public String take(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException();
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private int take() throws IOException {
    int b = in.read();
    if (b < 0) {
      throw new EOFException();
    }
    return b;
  }

  /** What comes until the connection ends in order. */
  public String readToEnd() throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  /** What comes until the connection ends, be it with a reset; fails if it stays open. */
  public String readToEndOrReset() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      for (int b = in.read(); b >= 0; b = in.read()) {
        bytes.write(b);
      }
    } catch (SocketException reset) {
      // As good an end as any.
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  /** Whether the connection ends with a reset, behind whatever still comes. */
  public boolean endsWithReset() throws IOException {
    try {
      in.readAllBytes();
      return false;
    } catch (SocketException reset) {
      return true;
    }
  }

  /** Whether nothing comes for so long. */
  public boolean isSilent(int ms) throws IOException {
    socket.setSoTimeout(ms);
    in.mark(1);
    try {
      in.read();
      in.reset();
      return false;
    } catch (SocketTimeoutException silence) {
      return true;
    } finally {
      socket.setSoTimeout(TIMEOUT_MS);
    }
  }

  /** Says that it sends no more; what comes can still be read. */
  public RawClient endOutput() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** Ends the connection with a reset. */
  public void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
