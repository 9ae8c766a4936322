package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archives on a machine that lacks something: it is said once, and costs speed at most. */
@Timeout(300)
class ClosedMachineIT {
  private static final Map<String, String> PATH = Map.of("PATH", "/usr/bin:/bin");
  private static final String RESOURCES = "src/test/resources/dev/weir/deploy/";

  /** In a mount namespace of its own, all that is written to is made read-only. */
  private static final String READ_ONLY =
      """
      set -e
      mount --make-rprivate /
      mount --bind /tmp /tmp
      mount -o remount,bind,ro /tmp
      mount -o remount,bind,ro /
      if touch /tmp/written /written 2>/dev/null; then
        echo "not read-only"
        exit 1
      fi
      exec "$@"
      """;

  @TempDir private Path folder;
  private Path home;

  @BeforeEach
  void unpack() {
    Distribution.assumeMade();
    home = Distribution.unpack("weir-VERSION-linux-x86_64.tar.gz", folder);
  }

  private static List<String> with(List<String> command, Path home) {
    return Stream.concat(command.stream(), Stream.of(home.resolve("weir").toString())).toList();
  }

  private static List<String> forbidding(String what) {
    return List.of(
        Program.find("perl").toString(),
        Repository.DEPLOY.resolve(RESOURCES + "forbid.pl").toString(),
        what);
  }

  private static List<String> readOnly() {
    Program unshare = Program.find("unshare");
    boolean root = System.getProperty("user.name").equals("root");
    List<String> options =
        root ? List.of("--mount") : List.of("--mount", "--user", "--map-root-user");
    String[] tried = Stream.concat(options.stream(), Stream.of("true")).toArray(String[]::new);
    Program.Result result = unshare.run(tried);
    assumeTrue(result.exitCode() == 0, "no mount namespace: " + result.output());
    return Stream.of(
            Stream.of(unshare.toString()),
            options.stream(),
            Stream.of("/bin/sh", "-c", READ_ONLY, "sh"))
        .flatMap(each -> each)
        .toList();
  }

  /** Serves until its limit, and has said this: a part of each line, in their order. */
  private static void assertServes(
      Map<String, String> environment, List<String> command, String... said)
      throws IOException, InterruptedException {
    try (PackagedSidecar weir = PackagedSidecar.start(environment, command)) {
      weir.assertLimits();
      List<String> lines = weir.remarks();
      assertEquals(said.length, lines.size(), lines::toString);
      for (int i = 0; i < said.length; i++) {
        assertTrue(lines.get(i).contains(said[i]), lines::toString);
      }
    }
  }

  private static void assertServes(List<String> command, String... said)
      throws IOException, InterruptedException {
    assertServes(PATH, command, said);
  }

  @Test
  void startsWithoutIoUring() throws Exception {
    assertServes(
        with(forbidding("io_uring"), home), "transport: io_uring is not available on this machine");
  }

  @Test
  void startsWithoutIpv6() throws Exception {
    assertServes(with(forbidding("ipv6"), home));
  }

  /** One of those that this process may run on, which need not be all of the machine's. */
  private static String oneProcessor() {
    return Repository.read(Path.of("/proc/self/status"))
        .lines()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .map(line -> line.replaceAll("\\D*(\\d+).*", "$1"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void startsOnOneProcessor() throws Exception {
    String taskset = Program.find("taskset").toString();
    assertServes(with(List.of(taskset, "-c", oneProcessor()), home));
  }

  @Test
  void startsOnAReadOnlyDisk() throws Exception {
    assertServes(with(readOnly(), home));
  }

  /** Its libraries are in the jar, and there is nowhere to unpack them to. */
  @Test
  void startsOnAReadOnlyDiskWithoutLibrariesBesideTheJar() throws Exception {
    Path plain = Distribution.unpack("weir-VERSION.tar.gz", folder);
    Map<String, String> environment =
        Map.of("PATH", "/usr/bin:/bin", "WEIR_JAVA_HOME", home.resolve("runtime").toString());
    assertServes(
        environment,
        with(readOnly(), plain),
        "transport: io_uring is not available on this machine",
        "transport: epoll is not available on this machine");
  }

  /** What the JVM says of a cache that it does not take is several lines, but of that alone. */
  private void assertServesWithoutItsCache(Map<String, String> environment)
      throws IOException, InterruptedException {
    try (PackagedSidecar weir = PackagedSidecar.start(environment, with(List.of(), home))) {
      weir.assertLimits();
      List<String> lines = weir.remarks();
      assertTrue(lines.stream().anyMatch(line -> line.contains("[aot]")), lines::toString);
      assertTrue(lines.stream().allMatch(line -> line.startsWith("[")), lines::toString);
    }
  }

  @Test
  void startsWithACacheOfAnotherJar() throws Exception {
    Files.setLastModifiedTime(home.resolve("weir.jar"), FileTime.from(Instant.now()));
    assertServes(with(List.of(), home), "weir.aot: older than weir.jar");
  }

  @Test
  void startsWithACacheThatIsNone() throws Exception {
    Files.writeString(home.resolve("weir.aot"), "none");
    assertServesWithoutItsCache(PATH);
  }

  @Test
  void startsWithOptionsThatTheCacheWasNotMadeFor() throws Exception {
    assertServesWithoutItsCache(Map.of("PATH", "/usr/bin:/bin", "WEIR_JAVA_OPTS", "-XX:+UseZGC"));
  }
}
