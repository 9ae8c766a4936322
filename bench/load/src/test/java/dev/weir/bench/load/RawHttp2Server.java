package dev.weir.bench.load;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server of one connection that says what a script says, byte by byte, and reads frames. */
final class RawHttp2Server implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PUSH_PROMISE = 5;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;
  static final int END_STREAM = 1;
  static final int ACK = 1;
  static final int END_HEADERS = 4;
  static final byte[] OK = {(byte) 0x88};

  private static final int SECONDS = 20;
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  private final ServerSocket listener;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private Socket connection;
  private DataInputStream in;
  private DataOutputStream out;

  interface Script {
    void run(RawHttp2Server server) throws IOException;
  }

  record Frame(int type, int flags, int streamId, byte[] payload) {
    int asInt() {
      return ByteBuffer.wrap(payload).getInt(payload.length - Integer.BYTES);
    }
  }

  /** The connection is closed at the script's end. */
  RawHttp2Server(Script script) throws IOException {
    this(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()), script);
  }

  RawHttp2Server(ServerSocket listening, Script script) {
    listener = listening;
    Thread thread =
        new Thread(
            () -> {
              try (Socket client = listener.accept()) {
                client.setSoTimeout((int) TimeUnit.SECONDS.toMillis(SECONDS));
                client.setTcpNoDelay(true);
                connection = client;
                in = new DataInputStream(client.getInputStream());
                out = new DataOutputStream(client.getOutputStream());
                script.run(this);
                end.complete(null);
              } catch (IOException | RuntimeException | AssertionError e) {
                end.completeExceptionally(e);
              }
            },
            "raw-http2-server");
    thread.setDaemon(true);
    thread.start();
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /** Reads the client's preface, and sends settings: pairs of an identifier and a value. */
  void open(int... settings) throws IOException {
    preface();
    settings(settings);
  }

  void preface() throws IOException {
    String preface = new String(in.readNBytes(PREFACE.length()), StandardCharsets.US_ASCII);
    if (!preface.equals(PREFACE)) {
      throw new IOException("preface: " + preface);
    }
  }

  void settings(int... settings) throws IOException {
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    DataOutputStream pairs = new DataOutputStream(payload);
    for (int i = 0; i < settings.length; i += 2) {
      pairs.writeShort(settings[i]);
      pairs.writeInt(settings[i + 1]);
    }
    send(SETTINGS, 0, 0, payload.toByteArray());
  }

  void send(int type, int flags, int streamId, byte... payload) throws IOException {
    byte[] frame = new byte[9 + payload.length];
    ByteBuffer.wrap(frame)
        .putInt(payload.length << 8 | type)
        .put((byte) flags)
        .putInt(streamId)
        .put(payload);
    raw(frame);
  }

  void send(int type, int flags, int streamId, int payload) throws IOException {
    send(type, flags, streamId, ByteBuffer.allocate(Integer.BYTES).putInt(payload).array());
  }

  void goAway(int lastStreamId) throws IOException {
    send(GOAWAY, 0, 0, ByteBuffer.allocate(8).putInt(lastStreamId).putInt(0).array());
  }

  void raw(byte... bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  Frame read() throws IOException {
    int lengthAndType = in.readInt();
    int flags = in.readUnsignedByte();
    int streamId = in.readInt();
    return new Frame(lengthAndType & 0xff, flags, streamId, in.readNBytes(lengthAndType >>> 8));
  }

  /** The next frame of the type; others are skipped. */
  Frame read(int type) throws IOException {
    Frame frame = read();
    while (frame.type != type) {
      frame = read();
    }
    return frame;
  }

  /** That nothing comes for a while. */
  void expectSilence(int ms) throws IOException {
    connection.setSoTimeout(ms);
    try {
      throw new AssertionError("a frame: " + read());
    } catch (SocketTimeoutException e) {
      connection.setSoTimeout((int) TimeUnit.SECONDS.toMillis(SECONDS));
    }
  }

  /** Reads until the client closes. */
  void drain() throws IOException {
    while (in.read() >= 0) {
      continue;
    }
  }

  /** Waits for the script's end, and fails as it failed. */
  @Override
  public void close() throws IOException {
    try {
      end.get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError(e);
    } finally {
      listener.close();
    }
  }
}
