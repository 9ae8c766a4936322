package dev.weir.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * A service that reads what it gets by {@link StrictReader}, and nothing else, and keeps what it
 * could not read. What it answers is up to the test.
 */
final class FuzzOrigin implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Function<StrictReader.Message, byte[]> answer;
  final Queue<StrictReader.Message> requests = new ConcurrentLinkedQueue<>();
  final Queue<String> unreadable = new ConcurrentLinkedQueue<>();

  /**
   * @param answer the bytes that a request is answered with; null, or none that say where they end,
   *     end the connection.
   */
  FuzzOrigin(Function<StrictReader.Message, byte[]> answer) throws IOException {
    this.answer = answer;
    Thread acceptor = new Thread(this::accept, "fuzz-accept");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  private void accept() {
    while (true) {
      try {
        Socket socket = server.accept();
        open.add(socket);
        Thread thread = new Thread(() -> serve(socket), "fuzz-origin");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      InputStream in = socket.getInputStream();
      StringBuilder got = new StringBuilder();
      byte[] buffer = new byte[8192];
      for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
        got.append(new String(buffer, 0, length, StandardCharsets.ISO_8859_1));
        StrictReader reader = new StrictReader(got.toString());
        for (var request = reader.request(); request != null; request = reader.request()) {
          requests.add(request);
          byte[] response = answer.apply(request);
          socket.getOutputStream().write(response);
          if (!keepsOpen(request, response)) {
            return;
          }
        }
        if (reader.isBroken()) {
          unreadable.add(got.toString());
          return;
        }
        got.setLength(0);
        got.append(reader.rest());
      }
    } catch (IOException left) {
      // The sidecar ends connections as it likes.
    } finally {
      open.remove(socket);
    }
  }

  private static boolean keepsOpen(StrictReader.Message request, byte[] response) {
    StrictReader reader = new StrictReader(new String(response, StandardCharsets.ISO_8859_1));
    return reader.response(request.start().startsWith("HEAD "), false) != null;
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
