package dev.weir.bench.torture.traffic;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** Sockets of clients, and their ends, which cannot fail in a way that matters. */
final class Sockets {
  private Sockets() {}

  /**
   * Connects to a port of 127.0.0.1, and ends the handshake of TLS.
   *
   * @param address of this side.
   * @param tls null for a connection without.
   */
  static Socket connect(String address, int port, SSLContext tls, int timeoutMs)
      throws IOException {
    final Socket socket = new Socket();
    try {
      final InetAddress host = InetAddress.getLoopbackAddress();
      socket.bind(new InetSocketAddress(address, 0));
      socket.connect(new InetSocketAddress(host, port), timeoutMs);
      socket.setSoTimeout(timeoutMs);
      socket.setTcpNoDelay(true);
      if (tls == null) {
        return socket;
      }
      final SSLSocket secured =
          (SSLSocket)
              tls.getSocketFactory().createSocket(socket, host.getHostAddress(), port, true);
      secured.startHandshake();
      return secured;
    } catch (IOException e) {
      close(socket);
      throw e;
    }
  }

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
