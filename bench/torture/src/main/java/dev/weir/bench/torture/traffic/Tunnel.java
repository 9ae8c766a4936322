package dev.weir.bench.torture.traffic;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/** A WebSocket through the proxy, for one question: what is sent behind its head comes back. */
final class Tunnel implements Connection {
  private final Socket socket = new Socket();
  private final HttpInput in;
  private boolean open = true;

  Tunnel(int port, int timeoutMs) throws IOException {
    try {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), timeoutMs);
      socket.setSoTimeout(timeoutMs);
      in = new HttpInput(socket.getInputStream());
    } catch (IOException e) {
      socket.close();
      throw e;
    }
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
    socket.shutdownOutput();
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
