package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunResult.Slice;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.ClientSettings.TlsSettings;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Scenario.Load;
import dev.weir.bench.scenario.Schedule;
import dev.weir.bench.scenario.Target;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.scripts.server.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A load of which each request has a connection, and a handshake of TLS, of its own. */
class HandshakeLoadIT {
  private static final int REQUESTS = 40;
  private static final long SECOND_NS = 1_000_000_000;

  @TempDir private static Path folder;

  /** Answers on one connection after the other. */
  private static void serve(SSLServerSocket listener) {
    new Thread(
            () -> {
              while (!listener.isClosed()) {
                try (Socket client = listener.accept()) {
                  answer(client);
                } catch (IOException e) {
                  continue; // the client has gone, or the test
                }
              }
            })
        .start();
  }

  private static void answer(Socket client) throws IOException {
    final byte[] request = new byte[4096];
    while (client.getInputStream().read(request) > 0) { // small ones come whole
      client
          .getOutputStream()
          .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static LoadRun run(int requestsPerConnection, boolean resumes) throws Exception {
    final SelfSignedCertificate certificate = new SelfSignedCertificate("dns:localhost");
    final Path authority = certificate.writeCertificate(folder);
    try (SSLServerSocket listener =
        (SSLServerSocket)
            certificate
                .serverContext()
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      serve(listener);
      final int port = listener.getLocalPort();
      final Target target = new Target(true, "localhost", port, "localhost:" + port);
      final LoadRun run =
          new LoadRun(
              new Scenario(
                  "handshakes",
                  List.of(new RequestSpec(target, "GET", "/", List.of(), null, 1)),
                  KeyChoice.parse("one"),
                  new Load(Schedule.constant(REQUESTS, SECOND_NS), SECOND_NS, 0),
                  new ClientSettings(
                      Protocol.HTTP1,
                      1,
                      1,
                      requestsPerConnection,
                      1,
                      TransportKind.NIO,
                      10 * SECOND_NS,
                      new TlsSettings(authority, false, resumes)),
                  List.of()),
              LoadRun.Progress.SILENT);
      final RunResult result = run.run();
      assertEquals(
          REQUESTS, result.slices().stream().mapToLong(Slice::passed).sum(), result.toString());
      assertEquals("0", result.facts().get("Connections lost"));
      final String told = result.facts().get("TLS handshakes");
      // A connection for a request that never comes may have been made as the run ended.
      assertEquals(run.handshakeCount(), Long.parseLong(told.substring(0, told.indexOf(','))), 1);
      return run;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void makesOneForEachConnectionAndSaysHowManyResumed(boolean resumes) throws Exception {
    final LoadRun run = run(1, resumes);
    assertEquals(REQUESTS, run.handshakeCount(), 2);
    assertEquals(resumes ? REQUESTS : 0, run.resumedCount(), resumes ? 4 : 0);
  }

  @Test
  void makesFewerWhereAConnectionHasMoreRequests() throws Exception {
    assertEquals(REQUESTS / 10, run(10, true).handshakeCount(), 1);
  }
}
