package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.http2.HpackEncoder;
import io.netty.util.ResourceLeakDetector;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the event loop allocates for a stream of HTTP/2 that goes all the way to a service of
 * HTTP/1.1, system calls included. What Weir itself does allocates nothing; what is allowed for
 * here is the transport's own, as for a request of HTTP/1.1.
 */
@Timeout(180)
class Http2RequestAllocationTest {
  private static final int REQUESTS = 2_000;
  private static final int ROUNDS = 6;
  private static final int TRANSPORT_BYTES = 400;
  private static final int HEADER_BYTES = 9;
  private static final int END_STREAM = 1;

  /** The field {@code :status: 200} of the static table. */
  private static final byte INDEXED_200 = (byte) 0x88;

  private static final byte[] PREFACE =
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] ANSWER =
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.US_ASCII);

  @ParameterizedTest
  @CsvSource({
    "nio, 1000000000/1s, text/plain, 200",
    "nio, 1/1d, text/plain, 429",
    "nio, 1/1d, application/grpc, 200",
    "auto, 1000000000/1s, text/plain, 200"
  })
  void allocatesNoMoreThanTheTransportDoes(
      String transport, String limit, String contentType, String status) throws Exception {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates to watch
    try {
      measure(transport, limit, contentType, status);
    } finally {
      ResourceLeakDetector.setLevel(level);
    }
  }

  private static void measure(String transport, String limit, String contentType, String status)
      throws Exception {
    try (ServerSocket origin = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Sidecar sidecar =
            Sidecar.start(
                SettingsFlags.read(
                    Map.of(
                        "--upstream", "http://127.0.0.1:" + origin.getLocalPort(),
                        "--listen", "127.0.0.1:0",
                        "--admin", "off",
                        "--event-loops", "1",
                        "--transport", transport,
                        "--limit", limit,
                        "--key", "header:x-user-id"),
                    Faults.ofFlags()));
        Socket socket = new Socket()) {
      serve(origin);
      socket.connect((InetSocketAddress) sidecar.listenAddress());
      socket.setTcpNoDelay(true);
      Client client = new Client(socket, contentType);
      client.ask(); // spends what a limit of one has
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long loop = eventLoopThread();
      long least = Long.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) { // the first ones also load and compile
        long before = threads.getThreadAllocatedBytes(loop);
        for (int i = 0; i < REQUESTS; i++) {
          client.ask();
        }
        least = Math.min(least, threads.getThreadAllocatedBytes(loop) - before);
      }
      assertEquals(Integer.parseInt(status), client.status);
      double perStream = least / (double) REQUESTS;
      assertTrue(perStream < TRANSPORT_BYTES, perStream + " bytes per stream");
    }
  }

  private static long eventLoopThread() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("weir-loop") && thread.isAlive())
        .mapToLong(Thread::getId)
        .max()
        .orElseThrow();
  }

  private static void serve(ServerSocket origin) {
    Thread thread =
        new Thread(
            () -> {
              byte[] read = new byte[4096];
              try (Socket weir = origin.accept()) {
                weir.setTcpNoDelay(true);
                OutputStream out = weir.getOutputStream();
                while (weir.getInputStream().read(read) >= 0) { // a request is one read
                  out.write(ANSWER);
                }
              } catch (IOException closed) {
                // The test is over.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  /** One stream after the other on one connection. */
  private static final class Client {
    private final DataInputStream in;
    private final OutputStream out;
    private final ByteBuffer request;
    private int streamId = 1;

    /** Of the answer that came last. */
    int status;

    Client(Socket socket, String contentType) throws IOException {
      in = new DataInputStream(socket.getInputStream());
      out = socket.getOutputStream();
      byte[] block =
          new HpackEncoder()
              .add(":method", "GET")
              .add(":scheme", "http")
              .add(":path", "/a/b")
              .add(":authority", "a")
              .add("user-agent", "test")
              .add("content-type", contentType)
              .add("x-user-id", "7")
              .bytes();
      request = ByteBuffer.allocate(HEADER_BYTES + block.length);
      request.put(new byte[] {0, 0, (byte) block.length, 1, 5, 0, 0, 0, 0}).put(block);
      out.write(PREFACE);
      out.write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS
      out.write(new byte[] {0, 0, 4, 8, 0, 0, 0, 0, 0, 0x70, 0, 0, 0}); // a window for all
      out.write(new byte[] {0, 0, 0, 4, 1, 0, 0, 0, 0}); // SETTINGS, acknowledged
    }

    /** Asks, and reads until the answer has ended. */
    void ask() throws IOException {
      request.putInt(5, streamId);
      out.write(request.array());
      boolean ended = false;
      while (!ended) {
        int bytes = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int id = in.readInt();
        byte[] payload = in.readNBytes(bytes);
        if (id == streamId) {
          ended = (flags & END_STREAM) != 0;
          if (type == 1) {
            status =
                payload[0] == INDEXED_200
                    ? 200
                    : Integer.parseInt(new String(payload, 2, 3, StandardCharsets.US_ASCII));
          }
        }
      }
      streamId += 2;
    }
  }
}
