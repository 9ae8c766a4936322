package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.weir.proxy.cli.WeirMain;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service with a name, which a process looks up in a file of the test's. */
@Timeout(120)
class UpstreamNameIT {
  @TempDir private Path folder;

  private static HttpServer service(String address, int port) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(address, port), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = address.getBytes(StandardCharsets.US_ASCII);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
      return any.getLocalPort();
    }
  }

  @Test
  void triesEveryAddressAndFindsTheServiceWhereItHasGone() throws Exception {
    Path hosts = folder.resolve("hosts");
    Files.writeString(hosts, "127.0.0.3 app.test\n127.0.0.2 app.test\n");
    HttpServer first = service("127.0.0.2", freePort());
    int port = first.getAddress().getPort();
    List<String> command = JavaCommand.of(WeirMain.class, "-Djdk.net.hosts.file=" + hosts);
    command.addAll(
        List.of(
            "run",
            "--upstream=http://app.test:" + port,
            "--listen=127.0.0.1:0",
            "--admin=off",
            "--table.keys=1000"));
    Process weir =
        new ProcessBuilder(command).redirectError(folder.resolve("err.txt").toFile()).start();
    HttpServer second = null;
    try {
      String line = weir.inputReader(StandardCharsets.UTF_8).readLine();
      assertNotNull(line, () -> read(folder.resolve("err.txt")));
      String listens = line.replaceFirst(".*proxying http://127\\.0\\.0\\.1:(\\d+) .*", "$1");
      InetSocketAddress proxy = new InetSocketAddress("127.0.0.1", Integer.parseInt(listens));
      try (RawClient client = new RawClient(proxy)) {
        assertEquals("127.0.0.2", client.send(Rig.VALID).read().body());
        Files.writeString(hosts, "127.0.0.4 app.test\n");
        first.stop(0);
        second = service("127.0.0.4", port);
        RawClient.Response answer = client.send(Rig.VALID).read();
        for (int i = 0; i < 1_000 && answer.status() != 200; i++) {
          assertEquals(502, answer.status());
          TimeUnit.MILLISECONDS.sleep(20);
          answer = client.send(Rig.VALID).read();
        }
        assertEquals("127.0.0.4", answer.body());
      }
      assertTrue(read(folder.resolve("err.txt")).contains("app.test is at 127.0.0.4 now"));
    } finally {
      weir.destroyForcibly();
      first.stop(0);
      if (second != null) {
        second.stop(0);
      }
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }
}
