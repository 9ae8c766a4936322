package dev.weir.bench.torture.traffic;

import java.io.IOException;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** A WebSocket through the proxy, for one question: what is sent behind its head comes back. */
final class Tunnel implements Connection {
  private final Socket socket;
  private final HttpInput in;
  private boolean open = true;

  /**
   * Connects to a port of 127.0.0.1.
   *
   * @param tls null for a connection without.
   */
  Tunnel(String address, int port, SSLContext tls, int timeoutMs) throws IOException {
    socket = Sockets.connect(address, port, tls, timeoutMs);
    in = new HttpInput(socket.getInputStream());
  }

  @Override
  public Answer ask(Question question) throws IOException {
    open = false;
    final StringBuilder head = Http1Connection.head("GET " + question.target(), question);
    head.append("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
    head.append("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    socket.getOutputStream().write(Http1Connection.ascii(head.toString()));
    final HttpInput.Head answer = in.head();
    if (answer == null) {
      throw new IOException("closed without an answer");
    }
    if (!answer.line().startsWith("HTTP/1.1 101 ")) {
      return Http1Connection.notPassed(answer, in.body(answer));
    }
    final byte[] content = Content.of(question.number(), 1 + question.bodyLength());
    socket.getOutputStream().write(content);
    if (!(socket instanceof SSLSocket)) { // there it would end both directions (docs/tls.md)
      socket.shutdownOutput();
    }
    return Http1Connection.compared(content, in.exactly(content.length));
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    Sockets.close(socket);
  }
}
