package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.scripts.server.FreePorts;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What docs/http-checks.md shows, with the proxies that it names in front of a service. */
@Timeout(60)
class HttpChecksPageIT {
  private static final String PAGE = "docs/http-checks.md";
  private static final int LIMIT = 10;
  private static final String BAD = "HTTP/1.1 500 Bad\r\nContent-Length: 0\r\n\r\n";

  private final HttpClient client = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private RecordingOrigin service;
  private Sidecar sidecar;
  private Process proxy;
  private int port;

  @BeforeEach
  void start() throws Exception {
    service = new RecordingOrigin();
    service.script(
        conversation -> {
          boolean bad = conversation.request().startsWith("GET /bad ");
          conversation.send(bad ? BAD : RecordingOrigin.OK);
        });
    String yaml =
        block("yaml")
            .replace("127.0.0.1:8081", "127.0.0.1:0")
            .replace("limit: 10/1m", "algorithm: fixed-window\n    limit: 10/365d");
    yaml +=
        """
          - id: members
            match: {path: "/members/**"}
            limit: 10/1s
            key: header:x-member
            on-missing-key: refuse
        """;
    Faults faults = Faults.ofFile(PAGE);
    Settings settings =
        new SettingsFile()
            .read(
                ("admin: off\nevent-loops: 1\ntable: {keys: 1000}\n" + yaml)
                    .getBytes(StandardCharsets.UTF_8),
                faults);
    assertNotNull(settings, faults.toString());
    sidecar = Sidecar.start(settings);
    port = FreePorts.next();
  }

  @AfterEach
  void stop() throws Exception {
    if (proxy != null) {
      proxy.destroy();
      if (!proxy.waitFor(10, TimeUnit.SECONDS)) {
        proxy.destroyForcibly();
      }
    }
    if (sidecar != null) {
      sidecar.close();
    }
    service.close();
  }

  private String block(String language) {
    return ManualPage.of(PAGE).blocks().stream()
        .filter(block -> block.language().equals(language))
        .findFirst()
        .orElseThrow()
        .text();
  }

  /** A block of the page with the ports of this test. */
  private String configuration(String language) {
    int decision = ((InetSocketAddress) sidecar.decisionAddresses().get(0)).getPort();
    return block(language)
        .replace("127.0.0.1:8081", "127.0.0.1:" + decision)
        .replace("127.0.0.1:8080", "127.0.0.1:" + port)
        .replace("127.0.0.1:9000", "127.0.0.1:" + service.port());
  }

  private static String find(String tool) {
    return Stream.concat(
            Stream.of(System.getenv("PATH").split(File.pathSeparator)), Stream.of("/usr/sbin"))
        .map(directory -> Path.of(directory, tool))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst()
        .orElse(null);
  }

  private void write(String file, String text) throws IOException {
    Files.writeString(folder.resolve(file), text);
  }

  private void run(String tool, String... arguments) throws Exception {
    String program = find(tool);
    List<String> command = Stream.concat(Stream.of(program), Stream.of(arguments)).toList();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile());
    builder.environment().putAll(Map.of("HOME", folder.toString()));
    proxy = builder.start();
    while (true) {
      try {
        get("GET", "/started");
        return;
      } catch (ConnectException notYet) {
        assertTrue(proxy.isAlive(), () -> tool + ": " + log());
        TimeUnit.MILLISECONDS.sleep(20);
      }
    }
  }

  private String log() {
    try {
      return Files.readString(folder.resolve("log"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return e.toString();
    }
  }

  private HttpResponse<String> get(String method, String target, String... fields)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
            .version(HttpClient.Version.HTTP_1_1)
            .header("X-User-Id", "ann")
            .method(
                method,
                method.equals("POST")
                    ? HttpRequest.BodyPublishers.ofString("some content")
                    : HttpRequest.BodyPublishers.noBody());
    for (int i = 0; i < fields.length; i += 2) {
      request.header(fields[i], fields[i + 1]);
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  /** Uses up what the rule of the page lets pass, and is refused. */
  private void limitsOrders() throws Exception {
    for (int i = 0; i < LIMIT; i++) {
      HttpResponse<String> passed = get("POST", "/orders/" + i + "?a=%2f");
      assertEquals(200, passed.statusCode(), () -> passed + log());
      assertEquals(200, get("GET", "/orders/1").statusCode(), "another method");
    }
    int before = service.requestCount();
    HttpResponse<String> refused = get("POST", "/orders/7");
    assertEquals(429, refused.statusCode(), () -> refused + log());
    assertTrue(
        Long.parseLong(refused.headers().firstValue("retry-after").orElseThrow()) > 0,
        refused.headers().toString());
    assertTrue(
        refused.headers().firstValue("ratelimit").orElseThrow().startsWith("\"orders\";r=0;t="),
        refused.headers().toString());
    // What a client says of another request lets none pass.
    for (String name : List.of("X-Forwarded-Uri", "X-Original-URI")) {
      int status =
          get(
                  "POST",
                  "/orders/7",
                  name,
                  "/free",
                  name.replaceFirst("-Ur[iI]|-URI", "-Method"),
                  "GET")
              .statusCode();
      assertTrue(status >= 400, name + ": " + status);
    }
    assertEquals(400, get("POST", "/orders/7", "X-User-Id", "eve").statusCode(), "two identities");
    assertEquals(401, get("GET", "/members/1").statusCode(), "no identity");
    assertEquals(before, service.requestCount());
    assertEquals(500, get("GET", "/bad").statusCode(), "the service's own");
  }

  @Test
  void nginxLimitsByWhatThePageShows() throws Exception {
    assumeTrue(find("nginx") != null, "needs nginx");
    StringBuilder paths = new StringBuilder("http {\n  access_log off;\n");
    for (String path : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      paths.append("  ").append(path).append("_temp_path ").append(path).append(";\n");
    }
    write("nginx.conf", configuration("nginx").replace("http {\n", paths));
    run(
        "nginx",
        "-p",
        folder.toString(),
        "-e",
        "stderr",
        "-c",
        "nginx.conf",
        "-g",
        "daemon off; pid nginx.pid;");
    limitsOrders();
    sidecar.close();
    sidecar = null;
    assertEquals(503, get("GET", "/orders/1").statusCode(), "nobody decides");
  }

  @Test
  void caddyLimitsByWhatThePageShows() throws Exception {
    assumeTrue(find("caddy") != null, "needs caddy");
    write("Caddyfile", "{\n\tadmin off\n\tauto_https off\n}\n" + configuration("caddy"));
    run("caddy", "run", "--config", "Caddyfile", "--adapter", "caddyfile");
    limitsOrders();
  }

  @Test
  void haproxyLimitsByWhatThePageShows() throws Exception {
    assumeTrue(find("haproxy") != null, "needs haproxy");
    write("weir.lua", configuration("lua"));
    write("haproxy.cfg", configuration("haproxy"));
    run("haproxy", "-f", "haproxy.cfg");
    limitsOrders();
  }
}
