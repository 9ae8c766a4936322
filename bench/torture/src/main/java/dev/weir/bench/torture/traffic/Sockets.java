package dev.weir.bench.torture.traffic;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;

/** Ends of sockets, which cannot fail in a way that matters. */
final class Sockets {
  private Sockets() {}

  static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // Closed either way.
    }
  }

  /** Ends a connection with a RST. */
  static void reset(Socket socket) {
    try {
      socket.setSoLinger(true, 0);
    } catch (SocketException e) {
      // It has ended by itself.
    }
    close(socket);
  }
}
