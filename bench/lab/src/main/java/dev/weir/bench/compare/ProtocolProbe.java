package dev.weir.bench.compare;

import dev.weir.bench.scenario.Protocol;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Asks a server on 127.0.0.1 whether it speaks a protocol: what it answers counts. */
final class ProtocolProbe {
  private static final int TIMEOUT_MS = 10_000;
  private static final int FRAME_HEAD_BYTES = 9;
  private static final int TYPE_AT = 3;
  private static final int SETTINGS = 4;

  /** The client's preface of RFC 9113, section 3.4. */
  private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

  private ProtocolProbe() {}

  /**
   * Null if it speaks the protocol; else what it does instead. With TLS, that is seen when it is
   * loaded.
   */
  static String refusal(Wire wire, int port) throws IOException {
    if (wire.tls() || wire.protocol() == Protocol.HTTP1) {
      return null;
    }
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MS);
      socket.setSoTimeout(TIMEOUT_MS);
      final byte[] preface = PREFACE.getBytes(StandardCharsets.US_ASCII);
      final byte[] hello = Arrays.copyOf(preface, preface.length + FRAME_HEAD_BYTES);
      hello[preface.length + TYPE_AT] = SETTINGS;
      socket.getOutputStream().write(hello);
      return refusal(socket.getInputStream());
    }
  }

  private static String refusal(InputStream in) {
    final byte[] answer = new byte[FRAME_HEAD_BYTES];
    try {
      final int length = in.readNBytes(answer, 0, FRAME_HEAD_BYTES);
      if (length < FRAME_HEAD_BYTES) {
        return "closes the connection upon the preface of HTTP/2";
      }
    } catch (IOException e) {
      return "no answer to the preface of HTTP/2: " + e.getMessage();
    }
    return answer[TYPE_AT] == SETTINGS ? null : "answers the preface of HTTP/2 in HTTP/1.1";
  }
}
