package dev.weir.bench.interop;

import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.testing.TlsTesting;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The cases of gRPC's interop suite with TLS on either side of the sidecar. */
public class TlsInteropCases extends InteropCases {
  /** One that is in the certificate of gRPC's tests. */
  private static final String NAME = "foo.test.google.fr";

  @Override
  ServerCredentials serverCredentials() {
    try (InputStream certificate = TlsTesting.loadCert("server1.pem");
        InputStream key = TlsTesting.loadCert("server1.key")) {
      return TlsServerCredentials.create(certificate, key);
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }

  @Override
  SidecarInFront sidecar(int serverPort) {
    return new SidecarInFront(
        serverPort,
        "--upstream",
        "https://127.0.0.1:" + serverPort,
        "--upstream-tls.ca",
        file("ca.pem"),
        "--upstream-tls.server-name",
        NAME,
        "--listen",
        "https://127.0.0.1:0",
        "--tls.certificate",
        file("server1.pem"),
        "--tls.key",
        file("server1.key"));
  }

  @Override
  NettyChannelBuilder channel(int sidecarPort) {
    try (InputStream authority = TlsTesting.loadCert("ca.pem")) {
      return NettyChannelBuilder.forAddress(
              "127.0.0.1",
              sidecarPort,
              TlsChannelCredentials.newBuilder().trustManager(authority).build())
          .overrideAuthority(NAME);
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }

  /** The path of a file that holds a resource of the tests of gRPC. */
  private static String file(String name) {
    try (InputStream content = TlsTesting.loadCert(name)) {
      Path file = Files.createTempFile("weir-interop", name);
      file.toFile().deleteOnExit();
      Files.write(file, content.readAllBytes());
      return file.toString();
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }
}
