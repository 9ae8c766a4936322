package dev.weir.bench.http2;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameFlag;
import dev.weir.proxy.http2.FrameType;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A service of HTTP/2 with a thread for each connection. By the letter behind {@code /=} of the
 * request's path it sends back what comes (e), never answers (h), or answers with 60,000 bytes (l);
 * any other is answered at once.
 */
final class Http2Service implements AutoCloseable {
  /** Bytes of a long answer: less than a stream's first window. */
  static final int LONG_BYTES = 60_000;

  private static final int FRAME_BYTES = 15_000;
  private static final byte[] HEAD = new HpackEncoder().add(":status", "200").bytes();

  private final ServerSocket listening;

  Http2Service() throws IOException {
    listening = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  private static void daemon(Runnable work) {
    final Thread thread = new Thread(work, "http2-service");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        final Socket socket = listening.accept();
        daemon(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (FrameSocket weir = new FrameSocket(socket)) {
      weir.settings();
      weir.frame(FrameType.SETTINGS, FrameFlag.ACK, 0);
      weir.number(FrameType.WINDOW_UPDATE, 0, 1 << 30);
      weir.flush();
      weir.readPreface();
      while (true) {
        answer(weir, weir.read());
        if (!weir.hasInput()) {
          weir.flush();
        }
      }
    } catch (IOException closed) {
      // Whoever it was has gone.
    }
  }

  private void answer(FrameSocket weir, FrameSocket.Frame frame) throws IOException {
    final int id = frame.streamId();
    final boolean ends = frame.has(FrameFlag.END_STREAM);
    switch (frame.type()) {
      case FrameType.HEADERS -> {
        head(weir, id, kind(frame.payload()), ends);
      }
      case FrameType.DATA -> {
        if (frame.payload().length > 0) {
          weir.number(FrameType.WINDOW_UPDATE, id, frame.payload().length);
          weir.number(FrameType.WINDOW_UPDATE, 0, frame.payload().length);
        }
        weir.data(id, ends, frame.payload());
      }
      case FrameType.PING -> {
        if (!frame.has(FrameFlag.ACK)) {
          weir.frame(FrameType.PING, FrameFlag.ACK, 0, frame.payload());
        }
      }
      default -> {
        // Windows are larger than what is sent; the rest says nothing.
      }
    }
  }

  private static void head(FrameSocket weir, int id, char kind, boolean ends) throws IOException {
    switch (kind) {
      case 'h' -> {
        // The client waits.
      }
      case 'e' -> weir.headers(id, false, HEAD);
      case 'l' -> {
        weir.headers(id, false, HEAD);
        for (int sent = 0; sent < LONG_BYTES; sent += FRAME_BYTES) {
          weir.data(id, sent + FRAME_BYTES == LONG_BYTES, new byte[FRAME_BYTES]);
        }
      }
      default -> {
        weir.headers(id, true, HEAD);
        if (!ends) {
          weir.number(FrameType.RST_STREAM, id, ErrorCode.NO_ERROR);
        }
      }
    }
  }

  /** The letter behind the mark {@code /=} of a path, which Weir writes without Huffman's code. */
  private static char kind(byte[] block) {
    for (int i = 2; i < block.length; i++) {
      if (block[i - 2] == '/' && block[i - 1] == '=') {
        return (char) block[i];
      }
    }
    return 'a';
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
