package dev.weir.proxy;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A service with one connection, that answers each request without a body at once and alike. */
final class AnsweringService implements AutoCloseable {
  private static final byte[] ANSWER =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);
  private static final int PREFACE_BYTES = 24;
  private static final byte[] SETTINGS = {0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0};
  private static final int HEADERS = 1;
  private static final int DATA_ID_OFFSET = 19;
  private static final int HEAD_ID_OFFSET = 5;

  private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final boolean http2;

  AnsweringService(boolean http2) throws IOException {
    this.http2 = http2;
    Thread thread = new Thread(this::serve);
    thread.setDaemon(true);
    thread.start();
  }

  String url() {
    return (http2 ? "h2c" : "http") + "://127.0.0.1:" + listening.getLocalPort();
  }

  private void serve() {
    try (Socket weir = listening.accept()) {
      weir.setTcpNoDelay(true);
      if (http2) {
        answerStreams(weir);
      } else {
        answerRequests(weir);
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private static void answerRequests(Socket weir) throws IOException {
    byte[] read = new byte[4096];
    OutputStream out = weir.getOutputStream();
    while (weir.getInputStream().read(read) >= 0) { // a request is one read
      out.write(ANSWER);
    }
  }

  private static void answerStreams(Socket weir) throws IOException {
    DataInputStream in = new DataInputStream(weir.getInputStream());
    OutputStream out = weir.getOutputStream();
    // A head of status 200 and content-length 2, and "ok" behind it, which ends the stream.
    ByteBuffer answer =
        ByteBuffer.wrap(
            new byte[] {
              0,
              0,
              5,
              1,
              4,
              0,
              0,
              0,
              0,
              (byte) 0x88,
              0x0f,
              0x0d,
              1,
              '2', //
              0,
              0,
              2,
              0,
              1,
              0,
              0,
              0,
              0,
              'o',
              'k'
            });
    out.write(SETTINGS);
    in.readNBytes(PREFACE_BYTES);
    while (true) {
      int bytes = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      in.readUnsignedByte();
      int id = in.readInt();
      in.readNBytes(bytes);
      if (type == HEADERS) {
        answer.putInt(HEAD_ID_OFFSET, id).putInt(DATA_ID_OFFSET, id);
        out.write(answer.array());
      }
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
