package dev.weir.bench.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProtocolProbeTest {
  private static final int HELLO_BYTES = 33;

  private static String refusal(byte[] answer) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      final CompletableFuture<Void> served =
          CompletableFuture.runAsync(() -> serve(server, answer));
      final String refusal = ProtocolProbe.refusal(Wire.HTTP2, server.getLocalPort());
      served.get(30, TimeUnit.SECONDS);
      return refusal;
    }
  }

  private static void serve(ServerSocket server, byte[] answer) {
    try (Socket client = server.accept()) {
      assertEquals(HELLO_BYTES, client.getInputStream().readNBytes(HELLO_BYTES).length);
      client.getOutputStream().write(answer);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whoAnswersWithSettingsSpeaksHttp2() throws Exception {
    assertNull(refusal(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}));
  }

  @Test
  void whoAnswersInHttp1DoesNot() throws Exception {
    assertEquals(
        "answers the preface of HTTP/2 in HTTP/1.1",
        refusal("HTTP/1.1 505 HTTP Version Not Supported\r\n".getBytes(StandardCharsets.US_ASCII)));
  }

  @Test
  void whoClosesDoesNot() throws Exception {
    assertEquals("closes the connection upon the preface of HTTP/2", refusal(new byte[0]));
  }
}
