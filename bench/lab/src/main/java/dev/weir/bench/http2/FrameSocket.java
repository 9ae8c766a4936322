package dev.weir.bench.http2;

import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * One side of a connection of HTTP/2, a frame at a time and by the caller's thread: sends any,
 * right or wrong, and reads those that come, when it is asked to. One thread may write and another
 * read.
 */
final class FrameSocket implements AutoCloseable {
  /** An identifier, and what was said in a frame of that type. */
  record Frame(int type, int flags, int streamId, byte[] payload) {
    boolean has(int flag) {
      return (flags & flag) != 0;
    }
  }

  static final int HEADER_BYTES = 9;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int BUFFER_BYTES = 1 << 16;
  private static final int PATIENCE_MS = 60_000;

  private final Socket socket;

  /** Bytes that have come: within TLS there may be more than {@link #in} can know of. */
  private final InputStream received;

  private final DataInputStream in;
  private final DataOutputStream out;
  private long sentBytes;

  FrameSocket(Socket socket) throws IOException {
    this(socket, socket);
  }

  private FrameSocket(Socket socket, Socket beneath) throws IOException {
    this.socket = socket;
    received = beneath.getInputStream();
    beneath.setTcpNoDelay(true);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 4096));
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), BUFFER_BYTES));
  }

  /** A client's connection to a port of 127.0.0.1, with its preface and settings. */
  static FrameSocket connect(int port) throws IOException {
    return new FrameSocket(socket(port)).begin();
  }

  /** A client's connection by TLS, of which it looks at no certificate. */
  static FrameSocket connectTls(int port) throws IOException {
    final Socket beneath = socket(port);
    try {
      final SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
      final SSLSocket socket =
          (SSLSocket) context.getSocketFactory().createSocket(beneath, "127.0.0.1", port, true);
      final SSLParameters parameters = socket.getSSLParameters();
      parameters.setApplicationProtocols(new String[] {"h2"});
      socket.setSSLParameters(parameters);
      socket.startHandshake();
      return new FrameSocket(socket, beneath).begin();
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static Socket socket(int port) throws IOException {
    final Socket socket = new Socket();
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(PATIENCE_MS);
    return socket;
  }

  private FrameSocket begin() throws IOException {
    out.write(PREFACE);
    sentBytes += PREFACE.length;
    settings();
    frame(FrameType.SETTINGS, FrameFlag.ACK, 0);
    return this;
  }

  /** Reads a client's preface, as a server. */
  void readPreface() throws IOException {
    in.readFully(new byte[PREFACE.length]);
  }

  /**
   * Announces settings.
   *
   * @param pairs each an identifier, and its value behind it.
   */
  void settings(int... pairs) throws IOException {
    header(pairs.length / 2 * (Short.BYTES + Integer.BYTES), FrameType.SETTINGS, 0, 0);
    for (int i = 0; i < pairs.length; i += 2) {
      out.writeShort(pairs[i]);
      out.writeInt(pairs[i + 1]);
    }
  }

  void frame(int type, int flags, int streamId, byte... payload) throws IOException {
    header(payload.length, type, flags, streamId);
    out.write(payload);
  }

  void number(int type, int streamId, int number) throws IOException {
    header(Integer.BYTES, type, 0, streamId);
    out.writeInt(number);
  }

  private void header(int bytes, int type, int flags, int streamId) throws IOException {
    out.writeByte(bytes >>> 16);
    out.writeShort(bytes);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(streamId);
    sentBytes += HEADER_BYTES + bytes;
  }

  void headers(int streamId, boolean endStream, byte[] block) throws IOException {
    frame(
        FrameType.HEADERS,
        FrameFlag.END_HEADERS | (endStream ? FrameFlag.END_STREAM : 0),
        streamId,
        block);
  }

  void data(int streamId, boolean endStream, byte... content) throws IOException {
    frame(FrameType.DATA, endStream ? FrameFlag.END_STREAM : 0, streamId, content);
  }

  void flush() throws IOException {
    out.flush();
  }

  /** Bytes that were written, from the preface on. */
  long sentBytes() {
    return sentBytes;
  }

  boolean hasInput() throws IOException {
    return in.available() > 0 || received.available() > 0;
  }

  /** The next frame; fails with an {@link java.io.EOFException} behind the last. */
  Frame read() throws IOException {
    final int bytes = in.readUnsignedByte() << 16 | in.readUnsignedShort();
    final int type = in.readUnsignedByte();
    final int flags = in.readUnsignedByte();
    final int streamId = in.readInt();
    return new Frame(type, flags, streamId, in.readNBytes(bytes));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** Field blocks of requests, which mean the same on any connection. */
  static final class Blocks {
    private Blocks() {}

    /** A request's head, with its fields in pairs of a name and a value. */
    static byte[] request(String method, String path, String... fields) {
      final HpackEncoder block =
          new HpackEncoder()
              .add(":method", method)
              .add(":scheme", "http")
              .add(":path", path)
              .add(":authority", "test");
      for (int i = 0; i < fields.length; i += 2) {
        block.add(fields[i], fields[i + 1]);
      }
      return block.bytes();
    }
  }
}
