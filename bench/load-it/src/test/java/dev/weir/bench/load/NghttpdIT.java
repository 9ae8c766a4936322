package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.bench.scenario.ClientSettings.TlsSettings;
import dev.weir.scripts.server.FreePorts;
import dev.weir.scripts.server.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests to nghttp2's own server, where it is installed (Debian: nghttp2-server). */
class NghttpdIT {
  private static final int FILE_BYTES = 100_000;
  private static final long START_NS = TimeUnit.SECONDS.toNanos(20);

  @TempDir Path folder;
  private Path binary;
  private Process process;

  @BeforeEach
  void find() throws IOException {
    final List<Path> places = new ArrayList<>(List.of(Path.of("/usr/sbin")));
    Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
        .map(Path::of)
        .forEach(places::add);
    binary =
        places.stream()
            .map(place -> place.resolve("nghttpd"))
            .filter(Files::isExecutable)
            .findFirst()
            .orElse(null);
    assumeTrue(binary != null, "nghttpd is not installed");
    Files.write(folder.resolve("file"), new byte[FILE_BYTES]);
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (process != null) {
      process.destroy();
      assertTrue(process.waitFor(20, TimeUnit.SECONDS));
    }
  }

  /** Starts the server; among the options stands {@code PORT}. */
  private InetSocketAddress start(String... options) throws IOException {
    final InetSocketAddress address =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePorts.next());
    final List<String> command =
        new ArrayList<>(
            List.of(
                binary.toString(), "-a", "127.0.0.1", "-d", folder.toString(), "--echo-upload"));
    command.addAll(List.of(options));
    command.replaceAll(part -> part.equals("PORT") ? Integer.toString(address.getPort()) : part);
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    final long deadlineNs = System.nanoTime() + START_NS;
    while (!accepts(address)) {
      assertTrue(
          process.isAlive() && System.nanoTime() - deadlineNs < 0,
          () -> "nghttpd does not listen; see " + folder.resolve("log"));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    return address;
  }

  private static boolean accepts(InetSocketAddress address) {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static Request request(String method, String path, byte[] body) {
    return Http2RequestsTest.of(Http2RequestsTest.spec(method, path, body), "");
  }

  private static void assertServes(WatchedConnection client) {
    client.start(request("GET", "/file", null), 1);
    client.expect("1 200");
    client.start(request("GET", "/none", null), 2);
    client.expect("2 404");
    client.start(request("HEAD", "/file", null), 3);
    client.expect("3 200");
    client.start(request("POST", "/echo", new byte[3 * FILE_BYTES]), 4);
    client.expect("4 200");
  }

  @Test
  void getsAndPostsOverOneConnection() throws IOException {
    try (WatchedConnection client =
        new WatchedConnection().opened(start("--no-tls", "PORT"), 100, false)) {
      assertServes(client);
    }
  }

  @Test
  void heedsASmallTableOfFieldsAndFewStreams() throws IOException {
    final InetSocketAddress address = start("--no-tls", "-c", "0", "-m", "3", "-w", "10", "PORT");
    try (WatchedConnection client = new WatchedConnection().opened(address, 100, false)) {
      assertServes(client);
      final Request get = request("GET", "/file", null);
      for (int round = 0; round < 20; round++) {
        client.on(
            connection -> {
              while (connection.hasRoom()) {
                connection.start(get, 5, 5);
              }
              connection.flush();
            });
        client.expect("5 200", "5 200", "5 200");
      }
    }
  }

  @Test
  void getsAndPostsThroughTls() throws IOException {
    final SelfSignedCertificate certificate = new SelfSignedCertificate();
    final Path authority = certificate.writeCertificate(folder);
    final InetSocketAddress address =
        start("PORT", certificate.writeKey(folder).toString(), authority.toString());
    try (WatchedConnection client = new WatchedConnection()) {
      client
          .connect(
              address,
              new Http2Connection(client, 100, false, AnswerFields.newBlock()),
              channel ->
                  Tls.http2(new TlsSettings(authority, false, true))
                      .secure(channel.pipeline(), "127.0.0.1", address.getPort(), client))
          .expect("opened");
      assertServes(client);
    }
  }
}
