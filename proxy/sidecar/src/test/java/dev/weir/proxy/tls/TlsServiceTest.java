package dev.weir.proxy.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** TLS with the service, over sockets and with the JDK's TLS on its side. */
@Timeout(60)
class TlsServiceTest {
  private static final String UNFRAMED = "HTTP/1.1 200 OK\r\n\r\nbody";

  @TempDir private static Path directory;

  /** Answers one request with a body that ends with the connection. */
  private static final class Service implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final boolean saysItsEnd;
    private final Thread thread = new Thread(this::serve, "tls-service");

    Service(boolean saysItsEnd) throws IOException {
      this.saysItsEnd = saysItsEnd;
      thread.setDaemon(true);
      thread.start();
    }

    String url() {
      return "https://127.0.0.1:" + listener.getLocalPort();
    }

    private void serve() {
      try {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
            TestCertificates.server("a.example").toKeyManagerFactory().getKeyManagers(),
            null,
            null);
        try (Socket plain = listener.accept()) {
          SSLSocket tls =
              (SSLSocket) context.getSocketFactory().createSocket(plain, null, 0, false);
          tls.setUseClientMode(false);
          byte[] request = new byte[4096];
          tls.getInputStream().read(request);
          tls.getOutputStream().write(UNFRAMED.getBytes(StandardCharsets.US_ASCII));
          if (saysItsEnd) {
            tls.shutdownOutput();
          }
        }
      } catch (Exception unexpected) {
        throw new IllegalStateException(unexpected);
      }
    }

    @Override
    public void close() throws IOException {
      listener.close(); // its thread ends with the one connection
    }
  }

  private static Rig rig(String transport, Service service) throws Exception {
    Path authority =
        TestCertificates.writeAuthority(directory, "ca.crt", TestCertificates.AUTHORITY);
    return new Rig(
        transport,
        "--upstream",
        service.url(),
        "--upstream-tls.ca",
        authority.toString(),
        "--upstream-tls.server-name",
        "a.example",
        "--timeouts.connect", // a cold and busy JVM takes its time for the first handshake
        "30s",
        "--timeouts.upstream-queue",
        "30s");
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void passesABodyThatEndsWithTheConnectionOnceTheServiceHasSaidSo(String transport)
      throws Exception {
    try (Service service = new Service(true);
        Rig rig = rig(transport, service);
        RawClient client = new RawClient(rig.sidecar.listenAddress())) {
      assertEquals("body", client.send(Rig.VALID).read().body());
    }
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void takesNoEndOfTheConnectionForThatOfTheBodyWithoutTheServicesWord(String transport)
      throws Exception {
    try (Service service = new Service(false);
        Rig rig = rig(transport, service);
        RawClient client = new RawClient(rig.sidecar.listenAddress())) {
      client.send(Rig.VALID);
      assertThrows(IOException.class, () -> client.read().body());
    }
  }
}
