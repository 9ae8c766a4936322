package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.WeirProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bodies are streamed: a sidecar with 64 MiB of heap, and as much beside it, passes 1 GiB, each
 * way, and serves others.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SmallHeapIT {
  private static final long BODY_BYTES = 1L << 30;
  private static final int IDLE_CONNECTIONS = 1_000;

  @TempDir private static Path folder;
  private RecordingOrigin origin;
  private WeirProcess weir;

  @BeforeAll
  void start() throws IOException {
    origin = new RecordingOrigin();
    origin.script(SmallHeapIT::serve);
    weir =
        WeirProcess.run(
            folder,
            List.of(),
            List.of("-Xmx64m", "-XX:MaxDirectMemorySize=64m"),
            "--upstream=" + origin.url(),
            "--event-loops=2",
            "--caps.connections-per-address=" + 2 * IDLE_CONNECTIONS);
  }

  @AfterAll
  void stop() throws IOException {
    weir.close();
    origin.close();
  }

  @Test
  void passesOneGibibyteDown() throws IOException {
    try (Socket client = connect("GET /down HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")) {
      InputStream in = client.getInputStream();
      readHead(in);
      assertEquals(BODY_BYTES, drain(in, Long.MAX_VALUE));
    }
  }

  @Test
  void passesOneGibibyteUp() throws IOException {
    String head = "POST /up HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ";
    try (Socket client = connect(head + BODY_BYTES + "\r\n\r\n")) {
      pour(client.getOutputStream());
      readHead(client.getInputStream());
      String body = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertEquals(Long.toString(BODY_BYTES), body);
    }
  }

  @Test
  void servesBesideAThousandIdleConnections() throws IOException {
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < IDLE_CONNECTIONS; i++) {
        idle.add(socket());
      }
      String request = "POST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
      try (Socket client = connect(request)) {
        assertEquals("HTTP/1.1 200 OK", readHead(client.getInputStream()).substring(0, 15));
      }
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }

  private Socket socket() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), weir.listenAddress().getPort());
  }

  private Socket connect(String request) throws IOException {
    Socket client = socket();
    client.setSoTimeout(60_000);
    client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    return client;
  }

  /** Pours out that much for every GET; swallows what a POST brings and tells how much it was. */
  private static void serve(RecordingOrigin.Conversation conversation) throws IOException {
    String head = conversation.head();
    if (head.startsWith("GET")) {
      conversation.out().write(headOf(BODY_BYTES));
      pour(conversation.out());
    } else {
      long length = Long.parseLong(head.replaceFirst("(?s).*Content-Length: (\\d+).*", "$1"));
      byte[] told =
          Long.toString(drain(conversation.in(), length)).getBytes(StandardCharsets.US_ASCII);
      conversation.out().write(headOf(told.length));
      conversation.out().write(told);
    }
    conversation.end();
  }

  private static byte[] headOf(long length) {
    return ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: " + length + "\r\n\r\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static void pour(OutputStream out) throws IOException {
    byte[] block = new byte[1 << 16];
    for (long left = BODY_BYTES; left > 0; left -= block.length) {
      out.write(block);
    }
  }

  private static long drain(InputStream in, long length) throws IOException {
    byte[] block = new byte[1 << 16];
    long total = 0;
    while (total < length) {
      int read = in.read(block, 0, (int) Math.min(block.length, length - total));
      if (read < 0) {
        break;
      }
      total += read;
    }
    return total;
  }

  private static String readHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int b = in.read();
      if (b < 0) {
        throw new IOException("ends within the head: " + head);
      }
      head.append((char) b);
    }
    return head.toString();
  }
}
