package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A sidecar that was started from a package, in front of a service that answers everything. */
final class PackagedSidecar implements AutoCloseable {
  private static final Pattern START_LINE =
      Pattern.compile("weir: proxying (http://127\\.0\\.0\\.1:[0-9]+) -> .*");
  private static final Pattern EACH_START =
      Pattern.compile(".* INFO  \\w+: (weir|limit table:) .*");
  private static final int LIMIT = 3;

  private final HttpServer service;
  private final Path errors;
  private final Process process;
  private final URI address;

  private PackagedSidecar(HttpServer service, Path errors, Process process, URI address) {
    this.service = service;
    this.errors = errors;
    this.process = process;
    this.address = address;
  }

  /**
   * Started, and its address known.
   *
   * @param environment all of it.
   * @param command the launcher, or what starts it.
   */
  static PackagedSidecar start(Map<String, String> environment, List<String> command)
      throws IOException {
    HttpServer service =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    service.start();
    Path errors = Files.createTempFile("weir-errors", ".txt");
    Process process = null;
    try {
      List<String> whole = new ArrayList<>(command);
      whole.addAll(arguments(service.getAddress().getPort()));
      ProcessBuilder builder = new ProcessBuilder(whole).redirectError(errors.toFile());
      builder.environment().clear();
      builder.environment().putAll(environment);
      process = builder.start();
      String line = process.inputReader().readLine();
      assertNotNull(line, () -> Repository.read(errors));
      Matcher started = START_LINE.matcher(line);
      assertTrue(started.matches(), line);
      return new PackagedSidecar(service, errors, process, URI.create(started.group(1)));
    } catch (IOException | AssertionError e) {
      if (process != null) {
        process.destroyForcibly();
      }
      service.stop(0);
      Files.delete(errors);
      throw e;
    }
  }

  private static List<String> arguments(int servicePort) {
    return List.of(
        "run",
        "--upstream",
        "http://127.0.0.1:" + servicePort,
        "--limit",
        LIMIT + "/1h",
        "--listen",
        "127.0.0.1:0",
        "--admin",
        "off",
        "--event-loops",
        "1",
        "--table.keys",
        "1000",
        "--caps.connections",
        "100");
  }

  /** As many requests pass as the limit says, and the next one is refused. */
  void assertLimits() throws IOException, InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request = HttpRequest.newBuilder(address).build();
    for (int i = 0; i <= LIMIT; i++) {
      int status = client.send(request, BodyHandlers.discarding()).statusCode();
      assertEquals(i < LIMIT ? 200 : 429, status);
    }
  }

  /** What it has said on standard error, but for what each start says. */
  List<String> remarks() {
    return Repository.read(errors)
        .lines()
        .filter(line -> !EACH_START.matcher(line).matches())
        .toList();
  }

  /** Its drain ends at once, as nothing is in flight. */
  @Override
  public void close() throws IOException {
    process.destroy();
    try {
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), "does not end");
    } catch (InterruptedException e) {
      process.destroyForcibly();
      throw new AssertionError("interrupted", e);
    } finally {
      service.stop(0);
      Files.delete(errors);
    }
  }
}
