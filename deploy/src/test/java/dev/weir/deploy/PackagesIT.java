package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code ./mvnw -Pdist verify} has made, installed and asked until it refuses; skipped where
 * nothing was made.
 */
@Timeout(300)
class PackagesIT {
  private static final Pattern START_LINE =
      Pattern.compile("weir: proxying (http://127\\.0\\.0\\.1:[0-9]+) -> .*");
  private static final int LIMIT = 3;

  @TempDir private Path folder;
  private HttpServer service;
  private Process weir;

  @BeforeEach
  void serve() throws IOException {
    assumeTrue(Files.exists(Repository.DIST), "made by ./mvnw -Pdist verify only");
    service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    service.start();
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (weir != null) {
      weir.destroy();
      assertTrue(weir.waitFor(60, TimeUnit.SECONDS));
    }
    if (service != null) {
      service.stop(0);
    }
  }

  private static Path made(String name) {
    Path file = Repository.DIST.resolve(name.replace("VERSION", Repository.version()));
    assertTrue(Files.exists(file), file + " is missing");
    return file;
  }

  /** Starts a sidecar in front of the service, without an environment but this. */
  private URI start(Map<String, String> environment, Path launcher) throws IOException {
    List<String> command = new ArrayList<>(List.of(launcher.toString(), "run"));
    command.addAll(List.of("--upstream", "http://127.0.0.1:" + service.getAddress().getPort()));
    command.addAll(List.of("--limit", LIMIT + "/1h", "--listen", "127.0.0.1:0"));
    command.addAll(List.of("--admin", "off", "--event-loops", "1", "--table.keys", "1000"));
    Path errors = folder.resolve("errors.txt");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    weir = builder.start();
    String line = weir.inputReader().readLine();
    assertNotNull(line, () -> Repository.read(errors));
    Matcher started = START_LINE.matcher(line);
    assertTrue(started.matches(), line);
    assertFalse(Repository.read(errors).contains("[aot]"), () -> Repository.read(errors));
    return URI.create(started.group(1));
  }

  private static void assertLimits(URI address) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    for (int i = 0; i <= LIMIT; i++) {
      int status =
          client
              .send(HttpRequest.newBuilder(address).build(), BodyHandlers.discarding())
              .statusCode();
      assertEquals(i < LIMIT ? 200 : 429, status);
    }
  }

  @Test
  void theArchiveNeedsNoJavaAndNoPath() throws Exception {
    Path archive = made("weir-VERSION-linux-x86_64.tar.gz");
    Program.find("tar").run("xzf", archive.toString(), "-C", folder.toString()).succeeded();
    Path home = folder.resolve("weir-" + Repository.version() + "-linux-x86_64");
    assertLimits(start(Map.of("PATH", "/nonexistent"), home.resolve("weir")));
  }

  @Test
  void theArchiveWithoutARuntimeHasTheLibrariesOfBothProcessors() throws Exception {
    Path archive = made("weir-VERSION.tar.gz");
    Program.find("tar").run("xzf", archive.toString(), "-C", folder.toString()).succeeded();
    Path home = folder.resolve("weir-" + Repository.version());
    String jar = Program.find("unzip").run("-l", home.resolve("weir.jar").toString()).succeeded();
    for (String library : List.of("tcnative_linux", "native_epoll", "native_io_uring42")) {
      assertTrue(jar.contains(library + "_x86_64.so"), library);
      assertTrue(jar.contains(library + "_aarch_64.so"), library);
    }
    String java = System.getProperty("java.home");
    Map<String, String> environment = Map.of("PATH", System.getenv("PATH"), "WEIR_JAVA_HOME", java);
    assertLimits(start(environment, home.resolve("weir")));
  }

  /** Into a root that has nothing, so its scripts run outside of it (DPKG_ROOT). */
  @Test
  void theDebianPackageIsInstalledRunsAndIsRemoved() throws Exception {
    Program dpkg = Program.find("dpkg");
    Program.find("systemd-sysusers");
    assumeTrue(System.getProperty("user.name").equals("root"), "dpkg wants to be root");
    Path root = folder.resolve("root");
    Files.createDirectories(root.resolve("var/lib/dpkg/info"));
    Files.createDirectories(root.resolve("var/lib/dpkg/updates"));
    Files.createDirectories(root.resolve("etc"));
    Files.createFile(root.resolve("var/lib/dpkg/status"));
    String[] options = {
      "--root=" + root, "--force-script-chrootless", "--force-depends", "--log=/dev/null"
    };
    Path deb = made("weir_" + Repository.version().replace('-', '~') + "_amd64.deb");
    dpkg.run(with(options, "--install", deb.toString())).succeeded();
    Path settings = root.resolve("etc/weir/weir.yaml");
    assertTrue(Files.exists(settings));
    assertTrue(Files.exists(root.resolve("usr/lib/systemd/system/weir.service")));
    assertTrue(
        Repository.read(root.resolve("etc/passwd")).contains("\nweir:")
            || Repository.read(root.resolve("etc/passwd")).startsWith("weir:"));
    assertLimits(start(Map.of("PATH", "/usr/bin:/bin"), root.resolve("usr/bin/weir")));
    dpkg.run(with(options, "--remove", "weir")).succeeded();
    assertTrue(Files.exists(settings));
    assertFalse(Files.exists(root.resolve("usr/lib/weir")));
    dpkg.run(with(options, "--purge", "weir")).succeeded();
    assertFalse(Files.exists(settings));
  }

  private static String[] with(String[] options, String... more) {
    return Stream.concat(Stream.of(options), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void thePackagesSayWhatIsInThem() throws IOException {
    Path archive = made("weir-VERSION-linux-x86_64.tar.gz");
    Program.find("tar").run("xzf", archive.toString(), "-C", folder.toString()).succeeded();
    Path home = folder.resolve("weir-" + Repository.version() + "-linux-x86_64");
    String components = Repository.read(home.resolve("weir.cdx.json"));
    for (String library : List.of("netty-transport", "lettuce-core", "agrona", "picocli")) {
      assertTrue(components.contains("\"" + library + "\""), library);
    }
    assertFalse(components.contains("\"junit-jupiter\""));
    assertTrue(Files.exists(home.resolve("LICENSE")));
    assertTrue(Repository.read(home.resolve("licences/THIRD-PARTY.txt")).contains("lettuce"));
    assertTrue(Files.exists(home.resolve("runtime/legal/java.base/LICENSE")));
  }
}
