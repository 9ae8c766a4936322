package dev.weir.bench.torture.traffic;

import dev.weir.bench.process.ServerProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A service of HTTP/1.1, with a thread for each connection. */
final class Http1Service implements Service {
  private static final int BACKLOG = 1_024;
  private static final int STACK_BYTES = 1 << 17;

  private final Ledger ledger;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile ServerSocket listener;
  private volatile boolean closed;

  /** Listens on a free port. */
  Http1Service(Ledger ledger) throws IOException {
    this.ledger = ledger;
    port = ServerProcess.freePort();
    listen();
  }

  @Override
  public String url() {
    return "http://127.0.0.1:" + port;
  }

  @Override
  public void listen() throws IOException {
    final ServerSocket next = new ServerSocket();
    next.setReuseAddress(true);
    next.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
    listener = next;
    daemon(() -> accept(next));
  }

  @Override
  public void stop() throws IOException {
    listener.close();
    open.forEach(Sockets::close);
  }

  private static void daemon(Runnable task) {
    final Thread thread = new Thread(null, task, "torture-service", STACK_BYTES);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept(ServerSocket from) {
    while (!from.isClosed()) {
      try {
        final Socket socket = from.accept();
        open.add(socket);
        daemon(() -> serve(socket));
      } catch (IOException e) {
        // Closed, or the client has gone already.
        continue;
      }
    }
  }

  private void serve(Socket socket) {
    try {
      socket.setTcpNoDelay(true);
      final HttpInput in = new HttpInput(socket.getInputStream());
      for (HttpInput.Head head = in.head(); head != null && !closed; head = in.head()) {
        ledger.note(head.fields().get(Question.NUMBER));
        if (head.fields().containsKey("upgrade")) {
          tunnel(socket);
          return;
        }
        answer(head, in, socket);
      }
    } catch (IOException | InterruptedException e) {
      // The sidecar, or a restart, has ended it.
      return;
    } finally {
      Sockets.close(socket);
      open.remove(socket);
    }
  }

  /** Sends back what comes, to its end. */
  private static void tunnel(Socket socket) throws IOException {
    final OutputStream out = socket.getOutputStream();
    out.write(
        Http1Connection.ascii(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"));
    socket.getInputStream().transferTo(out);
  }

  private void answer(HttpInput.Head head, HttpInput in, Socket socket)
      throws IOException, InterruptedException {
    final String conduct = head.fields().getOrDefault(Question.CONDUCT, "echo");
    final OutputStream out = socket.getOutputStream();
    switch (conduct.split(",")[0]) {
      case "silent" -> {
        TimeUnit.MILLISECONDS.sleep(SILENT_MS);
        throw new IOException("silent to the end");
      }
      case "reset" -> {
        out.write(Http1Connection.ascii("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart"));
        Sockets.reset(socket);
      }
      case "lie" -> {
        in.body(head);
        out.write(
            Http1Connection.ascii(
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nlies"));
        throw new IOException("lied");
      }
      case "large" -> {
        in.body(head);
        out.write(
            Http1Connection.ascii(
                "HTTP/1.1 200 OK\r\nContent-Length: " + LARGE.length + "\r\n\r\n"));
        out.write(LARGE);
      }
      default -> {
        final byte[] content = in.body(head).bytes();
        if (conduct.contains("slow")) {
          TimeUnit.MILLISECONDS.sleep(SLOW_MS);
        }
        ledger.answers(head.fields().get(Question.NUMBER));
        echo(
            out,
            head.fields().getOrDefault(Question.NUMBER, "0"),
            content,
            conduct.contains("chunked"));
      }
    }
  }

  private static void echo(OutputStream out, String number, byte[] content, boolean chunked)
      throws IOException {
    final ByteArrayOutputStream answer = new ByteArrayOutputStream();
    answer.writeBytes(
        Http1Connection.ascii("HTTP/1.1 200 OK\r\n" + Question.NUMBER + ": " + number + "\r\n"));
    if (chunked) {
      answer.writeBytes(
          Http1Connection.ascii("Transfer-Encoding: chunked\r\nTrailer: x-end\r\n\r\n"));
      Http1Connection.writeChunks(answer, content, "x-end: " + number + "\r\n");
    } else {
      answer.writeBytes(Http1Connection.ascii("Content-Length: " + content.length + "\r\n\r\n"));
      answer.writeBytes(content);
    }
    out.write(answer.toByteArray());
  }

  @Override
  public void close() {
    closed = true;
    try {
      stop();
    } catch (IOException e) {
      // Closed either way.
      return;
    }
  }
}
