package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The image, run by podman, and without one. */
@Timeout(300)
class ImageIT {
  /** The seccomp profile of containers may refuse io_uring, and a small one is not warmed up. */
  private static final Pattern EXPECTED =
      Pattern.compile("transport: io_uring is not|not warmed up, .* container gives 64 MiB");

  private static final String USER = "65532:65532";

  /** What podman ends with where it or its runtime makes no container; others are of the image. */
  private static final Set<Integer> PODMAN_FAILED = Set.of(125, 126);

  @TempDir private Path folder;

  private Path image;

  @BeforeEach
  void find() {
    Distribution.assumeMade();
    image = Distribution.file("weir-VERSION-image.tar");
    assumeTrue(System.getProperty("user.name").equals("root"), "containers want to be root here");
  }

  /**
   * A podman that keeps all of its own in the folder of the test, and asks nothing of systemd.
   * Containers take as many files as they are told, as this process may not have what podman asks.
   */
  private List<String> podman(String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Program.find("podman").toString(),
                "--root=" + folder.resolve("root"),
                "--runroot=" + folder.resolve("run"),
                "--tmpdir=" + folder.resolve("tmp"),
                "--storage-driver=vfs",
                "--cgroup-manager=cgroupfs",
                "--events-backend=none",
                "--runtime=" + Program.find("runc")));
    command.addAll(List.of(arguments));
    return command;
  }

  private Program.Result run(List<String> command) {
    String[] arguments = command.subList(1, command.size()).toArray(new String[0]);
    return Program.at(Path.of(command.get(0))).run(arguments);
  }

  /** The command of docs/install.md, with every right taken away; the test is skipped without. */
  private List<String> container(String... more) {
    assertTrue(run(podman("load", "-i", image.toString())).succeeded().contains("weir"));
    String name = "weir:" + Repository.version();
    List<String> command =
        podman("run", "--rm", "--read-only", "--network=host", "--cap-drop=all", "--pull=never");
    command.add("--security-opt=no-new-privileges");
    command.addAll(List.of("--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"));
    command.addAll(List.of(more));
    command.add(name);
    List<String> tried = new ArrayList<>(command);
    tried.add("--version");
    Program.Result version = run(tried);
    assumeFalse(PODMAN_FAILED.contains(version.exitCode()), "no containers: " + version.output());
    assertTrue(version.succeeded().contains(Repository.version()), version.output());
    return command;
  }

  private static void assertLimits(List<String> command) throws Exception {
    try (PackagedSidecar weir =
        PackagedSidecar.start(Map.of("PATH", System.getenv("PATH")), command)) {
      weir.assertLimits();
      assertTrue(
          weir.remarks().stream().allMatch(EXPECTED.asPredicate()),
          () -> weir.remarks().toString());
    }
  }

  @Test
  void podmanRunsItReadOnlyAndWithoutRights() throws Exception {
    assertLimits(container());
  }

  @Test
  void servesWithLittleMemory() throws Exception {
    assertLimits(container("--memory=64m", "--memory-swap=64m"));
  }

  /** With a root that has the image's files and nothing else, as the image says it is started. */
  @Test
  void itsFilesAreAllThatItNeeds() throws Exception {
    Path root = unpack();
    JsonObject config = config().getAsJsonObject("config");
    assertEquals(USER, config.get("User").getAsString());
    assertEquals(List.of("run", "-c", "/etc/weir/weir.yaml"), strings(config.get("Cmd")));
    String script =
        """
        set -e
        mount --make-rprivate /
        mount --bind "$1" "$1"
        mkdir -p "$1/proc"
        mount -t proc proc "$1/proc"
        mount -o remount,bind,ro "$1"
        root=$1 user=$2
        shift 2
        exec chroot --userspec="$user" "$root" "$@"
        """;
    List<String> command =
        new ArrayList<>(
            List.of(Program.find("unshare").toString(), "--mount", "/bin/sh", "-c", script, "sh"));
    command.addAll(List.of(root.toString(), USER));
    command.addAll(strings(config.get("Entrypoint")));
    try (PackagedSidecar weir =
        PackagedSidecar.start(Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), command)) {
      weir.assertLimits();
      assertEquals(List.of(), weir.remarks());
    }
  }

  @Test
  void nothingInItBelongsToAnotherThanRootOrMayBeWritten() throws Exception {
    Path root = unpack();
    Program find = Program.find("find");
    assertEquals("", find.run(root.toString(), "-not", "-user", "0").succeeded());
    assertEquals("", find.run(root.toString(), "-not", "-type", "l", "-perm", "/022").succeeded());
    assertEquals("", find.run(root.toString(), "-perm", "/6000").succeeded());
    for (String shell : List.of("bin/sh", "usr/bin/sh", "bin/bash")) {
      assertFalse(Files.exists(root.resolve(shell)));
    }
  }

  /** That of Docker before 29. */
  @Test
  void itsManifestForOlderDockersNamesTheSameFiles() throws Exception {
    JsonObject docker =
        JsonParser.parseString(Repository.read(layout().resolve("manifest.json")))
            .getAsJsonArray()
            .get(0)
            .getAsJsonObject();
    assertEquals(List.of("weir:" + Repository.version()), strings(docker.get("RepoTags")));
    assertEquals(
        blob(manifest().get("config")), layout().resolve(docker.get("Config").getAsString()));
    List<Path> layers = new ArrayList<>();
    for (JsonElement layer : manifest().getAsJsonArray("layers")) {
      layers.add(blob(layer));
    }
    assertEquals(layers, strings(docker.get("Layers")).stream().map(layout()::resolve).toList());
  }

  /** As the nodes of a cluster look for it once it is loaded there. */
  @Test
  void itsNameForContainerdIsTheWholeOne() throws Exception {
    JsonObject index = json(layout().resolve("index.json"));
    JsonObject manifest = index.getAsJsonArray("manifests").get(0).getAsJsonObject();
    assertEquals(
        "docker.io/library/weir:" + Repository.version(),
        manifest.getAsJsonObject("annotations").get("io.containerd.image.name").getAsString());
  }

  @Test
  void theLibrariesOfTheSystemInItAreNamed() throws Exception {
    Path root = unpack();
    String components = Repository.read(root.resolve("usr/lib/weir/weir.cdx.json"));
    assertTrue(components.contains("\"openjdk\"") && components.contains("\"glibc\""), components);
    assertTrue(Files.exists(root.resolve("usr/share/doc/libc6/copyright")));
  }

  private static List<String> strings(JsonElement array) {
    return array.getAsJsonArray().asList().stream().map(JsonElement::getAsString).toList();
  }

  /** The OCI layout in the tar, unpacked once. */
  private Path layout() throws IOException {
    Path layout = folder.resolve("layout");
    if (!Files.exists(layout)) {
      Files.createDirectory(layout);
      Program.find("tar").run("xf", image.toString(), "-C", layout.toString()).succeeded();
    }
    return layout;
  }

  private JsonObject json(Path file) {
    return JsonParser.parseString(Repository.read(file)).getAsJsonObject();
  }

  private Path blob(JsonElement descriptor) throws IOException {
    String digest = descriptor.getAsJsonObject().get("digest").getAsString();
    return layout().resolve("blobs").resolve(digest.replace(':', '/'));
  }

  private JsonObject manifest() throws IOException {
    JsonArray manifests = json(layout().resolve("index.json")).getAsJsonArray("manifests");
    assertEquals(1, manifests.size());
    return json(blob(manifests.get(0)));
  }

  private JsonObject config() throws IOException {
    return json(blob(manifest().get("config")));
  }

  private Path unpack() throws IOException {
    Path root = Files.createDirectory(folder.resolve("files"));
    for (JsonElement layer : manifest().getAsJsonArray("layers")) {
      Program.find("tar")
          .run("xpf", blob(layer).toString(), "-C", root.toString(), "--same-owner")
          .succeeded();
    }
    try (Stream<Path> any = Files.list(root)) {
      assertTrue(any.findAny().isPresent());
    }
    // The folders on the way to it let nobody in but their owner.
    Program.find("chmod").run("755", folder.toString()).succeeded();
    return root;
  }
}
