package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.Dimension;
import dev.weir.v1.RateLimiterGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.testing.TlsTesting;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The decision API with TLS on both ends, asked by grpc-java. */
@Timeout(120)
class DecisionTlsIT {
  @TempDir private Path folder;
  private Sidecar sidecar;

  @BeforeEach
  void start() throws IOException {
    Map<String, String> flags =
        Map.of(
            "--decision", "https://127.0.0.1:0",
            "--tls.certificate", file("server1.pem"),
            "--tls.key", file("server1.key"),
            "--tls.client-ca", file("ca.pem"),
            "--admin", "off",
            "--event-loops", "1",
            "--table.keys", "1000",
            "--key", "header:x-user-id",
            "--limit", "10/365d");
    Faults faults = Faults.ofFlags();
    try {
      sidecar = Sidecar.start(SettingsFlags.read(flags, faults));
    } catch (Exception fault) {
      throw new AssertionError(faults.toString(), fault);
    }
  }

  @AfterEach
  void stop() {
    sidecar.close();
  }

  /** The path of a file that holds a resource of the tests of gRPC. */
  private String file(String name) throws IOException {
    Path file = folder.resolve(name);
    try (InputStream content = TlsTesting.loadCert(name)) {
      Files.write(file, content.readAllBytes());
    }
    return file.toString();
  }

  private void check(TlsChannelCredentials.Builder credentials) throws IOException {
    int port = ((InetSocketAddress) sidecar.decisionAddresses().get(0)).getPort();
    try (InputStream authority = TlsTesting.loadCert("ca.pem")) {
      credentials.trustManager(authority);
    }
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", port, credentials.build())
            .overrideAuthority("foo.test.google.fr")
            .build();
    try {
      CheckRateLimitRequest request =
          CheckRateLimitRequest.newBuilder()
              .setIdentifier("ann")
              .setDimension(Dimension.USER)
              .setEndpoint("/orders")
              .build();
      assertTrue(
          RateLimiterGrpc.newBlockingStub(channel)
              .withDeadlineAfter(60, TimeUnit.SECONDS)
              .checkRateLimit(request)
              .getAllowed());
    } finally {
      channel.shutdownNow();
    }
  }

  @Test
  void decidesForWhoShowsACertificateOfTheAuthority() throws IOException {
    try (InputStream certificate = TlsTesting.loadCert("client.pem");
        InputStream key = TlsTesting.loadCert("client.key")) {
      check(TlsChannelCredentials.newBuilder().keyManager(certificate, key));
    }
  }

  @Test
  void decidesForNobodyElse() {
    StatusRuntimeException none =
        assertThrows(StatusRuntimeException.class, () -> check(TlsChannelCredentials.newBuilder()));
    assertEquals(Status.Code.UNAVAILABLE, none.getStatus().getCode(), none.toString());
  }
}
