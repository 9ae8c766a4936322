package dev.weir.bench.process;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A connection to Redis for what is done between measurements: one command and one reply at a time.
 * Owned by one thread.
 */
public final class RedisConnection implements AutoCloseable {
  private static final int TIMEOUT_MS = 10_000;

  private final Socket socket = new Socket();
  private final DataInputStream in;
  private final OutputStream out;

  public RedisConnection(InetSocketAddress address) throws IOException {
    socket.connect(address, TIMEOUT_MS);
    socket.setSoTimeout(TIMEOUT_MS);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = socket.getOutputStream();
  }

  /** A bulk string's, status's or integer's bytes; null for a null reply; no arrays. */
  public byte[] send(byte[] frame) throws IOException {
    out.write(frame);
    final StringBuilder line = new StringBuilder();
    for (int c = in.readUnsignedByte(); c != '\r'; c = in.readUnsignedByte()) {
      line.append((char) c);
    }
    in.readUnsignedByte();
    final char type = line.charAt(0);
    if (type == '-') {
      throw new IOException("redis: " + line.substring(1));
    }
    if (type != '$') {
      return line.substring(1).getBytes(StandardCharsets.ISO_8859_1);
    }
    final int length = Integer.parseInt(line.substring(1));
    if (length < 0) {
      return null;
    }
    final byte[] body = in.readNBytes(length);
    in.readNBytes(2);
    return body;
  }

  /** The reply to a command, as {@link #send} reads it, each byte the character of that number. */
  public String text(String... parts) throws IOException {
    final StringBuilder frame = new StringBuilder("*" + parts.length + "\r\n");
    for (String part : parts) {
      frame.append('$').append(part.length()).append("\r\n").append(part).append("\r\n");
    }
    // One char per byte: sources of scripts are passed as ISO 8859-1.
    final byte[] reply = send(frame.toString().getBytes(StandardCharsets.ISO_8859_1));
    return reply == null ? null : new String(reply, StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
