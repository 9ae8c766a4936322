package dev.weir.scripts.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A blocking client of RESP2, as much of it as tests need. A reply is a {@link Long}, a {@link
 * String} (status), a {@code byte[]} (bulk), a {@link List} of replies, a {@link RespError}, or
 * null (nil).
 */
public final class RespClient implements AutoCloseable {
  private static final int TIMEOUT_MS = 60_000;

  /** Null over a Unix socket. */
  private final Socket socket;

  private final Closeable connection;
  private final DataInputStream in;
  private final OutputStream out;

  /** On a connected socket, TLS or not, which is closed with the client. */
  public RespClient(Socket socket) throws IOException {
    this(socket, socket, socket.getInputStream(), socket.getOutputStream());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MS);
  }

  private RespClient(Socket socket, Closeable connection, InputStream in, OutputStream out) {
    this.socket = socket;
    this.connection = connection;
    this.in = new DataInputStream(new BufferedInputStream(in));
    this.out = out;
  }

  /** Over a Unix socket, where no reply is too late. */
  public static RespClient connect(UnixDomainSocketAddress address) throws IOException {
    final SocketChannel channel = SocketChannel.open(address);
    return new RespClient(
        null, channel, Channels.newInputStream(channel), Channels.newOutputStream(channel));
  }

  public static RespClient connect(InetSocketAddress address) throws IOException {
    final Socket socket = new Socket();
    try {
      socket.connect(address, TIMEOUT_MS);
      return new RespClient(socket);
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * How long a reply may take from now on before {@link java.net.SocketTimeoutException}; over TCP.
   */
  public void timeoutMs(int timeoutMs) throws IOException {
    socket.setSoTimeout(timeoutMs);
  }

  /** Sends a command and waits for its reply. */
  public Object call(byte[]... parts) throws IOException {
    send(parts);
    return read();
  }

  /** Sends a command, its texts as UTF-8, and waits for its reply. */
  public Object call(String... parts) throws IOException {
    send(Stream.of(parts).map(RespClient::bytes).toArray(byte[][]::new));
    return read();
  }

  /**
   * Sends a command and returns its reply as a text: a bulk as Latin-1, a number in decimal, nil as
   * null.
   *
   * @throws IllegalStateException with the command and the reply, if that is an error or a list.
   */
  public String text(String... parts) throws IOException {
    final Object reply = call(parts);
    if (reply instanceof RespError || reply instanceof List) {
      final String sent = String.join(" ", Arrays.copyOf(parts, Math.min(parts.length, 8)));
      throw new IllegalStateException(sent + ": " + reply + " (expected: a text)");
    }
    return textOf(reply);
  }

  /** Sends a command without waiting for the reply. */
  public void send(byte[]... parts) throws IOException {
    final ByteArrayOutputStream frame = new ByteArrayOutputStream();
    frame.write(bytes("*" + parts.length + "\r\n"));
    for (byte[] part : parts) {
      frame.write(bytes("$" + part.length + "\r\n"));
      frame.write(part);
      frame.write(bytes("\r\n"));
    }
    out.write(frame.toByteArray());
  }

  /** Waits for the next reply. */
  public Object read() throws IOException {
    final StringBuilder line = new StringBuilder();
    for (int c = in.readUnsignedByte(); c != '\r'; c = in.readUnsignedByte()) {
      line.append((char) c);
    }
    in.readUnsignedByte();
    final String value = line.isEmpty() ? "" : line.substring(1);
    return switch (line.isEmpty() ? 0 : line.charAt(0)) {
      case '+' -> value;
      case '-' -> new RespError(value);
      case ':' -> Long.valueOf(value);
      case '$' -> bulk(Integer.parseInt(value));
      case '*' -> list(Integer.parseInt(value));
      default -> throw new IOException("reply: " + line + " (expected: RESP2)");
    };
  }

  private byte[] bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    final byte[] body = new byte[length];
    in.readFully(body);
    in.readUnsignedShort();
    return body;
  }

  private List<Object> list(int count) throws IOException {
    if (count < 0) {
      return null;
    }
    final List<Object> replies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      replies.add(read());
    }
    return replies;
  }

  /** One reply that is no list as a text: a bulk as Latin-1. */
  public static String textOf(Object reply) {
    if (reply instanceof byte[] bulk) {
      return new String(bulk, StandardCharsets.ISO_8859_1);
    }
    return reply == null ? null : reply.toString();
  }

  /** The text as UTF-8. */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
