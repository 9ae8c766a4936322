package dev.weir.bench.torture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The patches by which {@code bench/scripts/fault} puts cured faults back fit the sources of today,
 * and name tests that there are.
 */
final class FaultPatchesTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Path PATCHES = Path.of("src/test/faults").toAbsolutePath();
  private static final String RED = "Red with it: ";

  static List<Path> patches() throws IOException {
    try (Stream<Path> patches = Files.list(PATCHES)) {
      return patches.sorted().toList();
    }
  }

  @Test
  void thereIsOneForEachOfTheEightFaults() throws IOException {
    assertEquals(
        "12345678",
        patches().stream()
            .map(patch -> patch.getFileName().toString().substring(0, 1))
            .collect(Collectors.joining()));
  }

  @ParameterizedTest
  @MethodSource("patches")
  void applies(Path patch) throws IOException, InterruptedException {
    assumeTrue(Files.exists(ROOT.resolve(".git")), "no work tree of git: not checked");
    assumeTrue(runs("git", "--version").isEmpty(), "no git: not checked");
    assertEquals("", runs("git", "apply", "--check", patch.toString()));
  }

  /** The output of a command that fails; empty if it succeeds. */
  private static String runs(String... command) throws InterruptedException {
    try {
      final Process process =
          new ProcessBuilder(command).directory(ROOT.toFile()).redirectErrorStream(true).start();
      final String said =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? "" : said;
    } catch (IOException e) {
      return e.toString();
    }
  }

  @ParameterizedTest
  @MethodSource("patches")
  void namesTestsThatAreRedWithIt(Path patch) throws IOException {
    final List<String> red =
        Files.readAllLines(patch).stream().filter(line -> line.startsWith(RED)).toList();
    assertEquals(1, red.size());
    final Set<String> tests = new HashSet<>();
    try (Stream<Path> files = Files.walk(ROOT.resolve("proxy"))) {
      files.forEach(file -> tests.add(file.getFileName().toString()));
    }
    try (Stream<Path> files = Files.walk(ROOT.resolve("algorithms"))) {
      files.forEach(file -> tests.add(file.getFileName().toString()));
    }
    for (String test : red.get(0).substring(RED.length()).split(", ")) {
      assertTrue(tests.contains(test + ".java"), test);
    }
  }
}
