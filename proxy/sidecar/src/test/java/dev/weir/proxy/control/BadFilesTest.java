package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every file of {@code bad/} is told what the text beside it says, to the letter; of {@code
 * warned/}, whose files are taken, by warnings.
 */
class BadFilesTest {
  private final SettingsFile reader = new SettingsFile();

  static List<Path> badFiles() throws IOException, URISyntaxException {
    return files("bad/empty.yaml");
  }

  static List<Path> warnedFiles() throws IOException, URISyntaxException {
    return files("warned/none.yaml");
  }

  /** The files beside one. */
  private static List<Path> files(String one) throws IOException, URISyntaxException {
    Path directory = Path.of(BadFilesTest.class.getResource(one).toURI()).getParent();
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList();
    }
  }

  private static String textBeside(Path file) throws IOException {
    return Files.readString(Path.of(file.toString().replace(".yaml", ".txt"))).strip();
  }

  @ParameterizedTest
  @MethodSource("badFiles")
  void tellsEveryFaultAtOnce(Path file) throws IOException {
    Faults faults = Faults.ofFile(file.getFileName().toString());
    assertNull(reader.read(file, faults));
    assertEquals(textBeside(file), faults.toString());
  }

  @ParameterizedTest
  @MethodSource("warnedFiles")
  void warnsOfWhatIsSeldomMeant(Path file) throws IOException {
    Faults faults = Faults.ofFile(file.getFileName().toString());
    assertNotNull(reader.read(file, faults), faults::toString);
    List<String> warnings = faults.warnings().stream().map(Faults.Fault::toString).toList();
    assertEquals(textBeside(file), String.join("\n", warnings));
  }

  @Test
  void tellsWhatIsNoFile(@TempDir Path directory) throws IOException {
    assertFault("w: not found (expected: a YAML file)", directory.resolve("none.yaml"));
    assertFault("w: not found (expected: a YAML file)", directory.resolve("none/none.yaml"));
    assertFault("w: a directory (expected: a YAML file)", directory);
    assertFault("w: no file (expected: a YAML file)", Path.of("/dev/null"));
    Path dangling = directory.resolve("link.yaml");
    Files.createSymbolicLink(dangling, directory.resolve("gone"));
    assertFault("w: not found (expected: a YAML file)", dangling);
  }

  @Test
  void readsNoMoreThanItsBound(@TempDir Path directory) throws IOException {
    String line = "# " + "x".repeat(61) + "\n";
    String settings = "upstream: unix:/run/a.sock\n";
    String padding = line.repeat(((1 << 20) - settings.length()) / line.length());
    Path file = directory.resolve("w.yaml");
    Files.writeString(
        file, settings + padding + "#".repeat((1 << 20) - settings.length() - padding.length()));
    Faults faults = Faults.ofFile("w");
    assertTrue(reader.read(file, faults) != null, faults.toString());
    Files.writeString(file, settings + padding + line + line);
    assertFault("w: larger than 1MiB (expected: at most 1MiB)", file);
  }

  @Test
  void boundsValuesThatAnchorsRepeat() {
    StringBuilder file = new StringBuilder("a0: &a0 [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n");
    for (int i = 1; i < 6; i++) {
      String ten = String.join(", ", Collections.nCopies(10, "*a" + (i - 1)));
      file.append("a" + i + ": &a" + i + " [" + ten + "]\n");
    }
    assertEquals(
        "w:1: too large once its aliases are followed"
            + " (expected: at most 200000 values, 32 levels deep)",
        firstFault(file.toString()));
  }

  @Test
  void boundsTheLettersOfAnIdTheLimitsOfARuleAndThePartsOfAKey() {
    assertNull(firstFault(rule("x".repeat(64), "limit: 1/1s")));
    assertEquals(
        "w:3: rules[0].id: "
            + "x".repeat(65)
            + " (expected: 1 to 64 letters, digits, dots, dashes and underscores)",
        firstFault(rule("x".repeat(65), "limit: 1/1s")));
    assertNull(firstFault(rule("a", "limits: [" + limits(8) + "]")));
    assertEquals(
        "w:3: rules[0].limits: 9 items (expected: at most 8)",
        firstFault(rule("a", "limits: [" + limits(9) + "]")));
    assertNull(firstFault(rule("a", "limit: 1/1s, key: [" + parts(8) + "]")));
    assertEquals(
        "w:3: rules[0].key: " + parts(8).replace(" ", "") + ",... (expected: 1 to 8 sources)",
        firstFault(rule("a", "limit: 1/1s, key: [" + parts(9) + "]")));
  }

  @Test
  void boundsTheConditionsOfARule() {
    for (String fields : List.of("headers", "query")) {
      assertNull(
          firstFault(rule("a", "limit: 1/1s, match: {" + fields + ": {" + equal(16) + "}}")));
      assertEquals(
          "w:3: rules[0].match." + fields + ": 17 keys (expected: at most 16)",
          firstFault(rule("a", "limit: 1/1s, match: {" + fields + ": {" + equal(17) + "}}")));
    }
    assertNull(firstFault(rule("a", "limit: 1/1s, match: {headers: {a: [" + values(64) + "]}}")));
    assertEquals(
        "w:3: rules[0].match.headers.a: 65 items (expected: at most 64)",
        firstFault(rule("a", "limit: 1/1s, match: {headers: {a: [" + values(65) + "]}}")));
    assertNull(firstFault(rule("a", "limit: 1/1s, match: {cidr: [" + networks(1000) + "]}")));
    assertEquals(
        "w:3: rules[0].match.cidr: 1001 items (expected: at most 1000)",
        firstFault(rule("a", "limit: 1/1s, match: {cidr: [" + networks(1001) + "]}")));
  }

  private static String equal(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "a" + i + ": v")
        .collect(Collectors.joining(", "));
  }

  private static String values(int count) {
    return IntStream.range(0, count).mapToObj(i -> "v" + i).collect(Collectors.joining(", "));
  }

  private static String networks(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "10.0." + (i >> 8) + "." + (i & 255))
        .collect(Collectors.joining(", "));
  }

  @Test
  void boundsTheTiersOfUsers() {
    String users =
        "upstream: http://127.0.0.1:8080\nusers: {identity: header:x-user, tiers: [%s]}\n";
    assertNull(firstFault(users.formatted(values(64)) + "rules:\n- {id: a, limit: 1/1s}\n"));
    assertEquals(
        "w:2: users.tiers: 65 items (expected: at most 64)",
        firstFault(users.formatted(values(65)) + "rules:\n- {id: a, limit: 1/1s}\n"));
  }

  @Test
  void boundsTheFilesOfAnswersToRefusals(@TempDir Path directory) throws IOException {
    StringBuilder rules = new StringBuilder("upstream: http://127.0.0.1:8080\nrules:\n");
    for (int i = 0; i < 100; i++) {
      Path file = Files.writeString(directory.resolve("f" + i), "");
      rules.append("- {id: r" + i + ", match: {path: /" + i + "}, limit: 1/1s, refusal:");
      rules.append(" {bodies: {text/plain: 'file:" + file + "', a/b: 'file:" + file + "'}}}\n");
    }
    assertNull(firstFault(rules.toString()));
    Files.writeString(directory.resolve("more"), "");
    String more = rules + "refusal: {bodies: {text/plain: 'file:" + directory + "/more'}}\n";
    assertTrue(firstFault(more).endsWith("f99 (expected: at most 100 files)"), firstFault(more));
  }

  private static String rule(String id, String fields) {
    return "upstream: http://127.0.0.1:8080\nrules:\n- {id: " + id + ", " + fields + "}\n";
  }

  private static String limits(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(i -> "{limit: 1/" + i + "s}")
        .collect(Collectors.joining(", "));
  }

  private static String parts(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(i -> "header:a" + i)
        .collect(Collectors.joining(", "));
  }

  /** The first fault of a file; null if it has none. */
  private String firstFault(String file) {
    Faults faults = Faults.ofFile("w");
    reader.read(file.getBytes(StandardCharsets.UTF_8), faults);
    return faults.all().isEmpty() ? null : faults.all().get(0).toString();
  }

  @Test
  void survivesNestingWithoutEnd() {
    for (String open : List.of("[", "{a: ", "- ", "? ")) {
      byte[] content = ("upstream: " + open.repeat(200_000)).getBytes(StandardCharsets.UTF_8);
      Faults faults = Faults.ofFile("w");
      assertNull(reader.read(content, faults));
      assertEquals(1, faults.all().size(), faults.toString());
    }
  }

  @Test
  void showsFaultsOnOneLineAndNotTooMany() {
    StringBuilder file = new StringBuilder("upstream: \"a\\nb\\e[31m\\u202E\"\n");
    for (int i = 0; i < 150; i++) {
      file.append("unknown-").append(i).append(": 1\n");
    }
    Faults faults = Faults.ofFile("w");
    assertNull(reader.read(file.toString().getBytes(StandardCharsets.UTF_8), faults));
    List<String> lines = faults.toString().lines().toList();
    assertEquals(
        "w:1: upstream: a\\nb\\u001B[31m\\u202E (expected: http://, h2c:// or https://host:port, unix:/path or h2c+unix:/path)",
        lines.get(0));
    assertEquals(Faults.MAX_KEPT + 1, lines.size());
    assertEquals("and 51 more", lines.get(Faults.MAX_KEPT));
  }

  @Test
  void showsKeysWithoutWhatATerminalActsOn() {
    Faults faults = Faults.ofFile("w");
    String file = "upstream: unix:/a\n\"\\e[31m\\nx\": 1\n" + "? " + "y".repeat(2000) + "\n: 1\n";
    assertNull(reader.read(file.getBytes(StandardCharsets.UTF_8), faults));
    List<String> lines = faults.toString().lines().toList();
    assertEquals(2, lines.size(), faults.toString());
    assertTrue(lines.get(0).startsWith("w:2: \"\\u001B[31m\\nx\": unknown key "), lines.get(0));
    assertTrue(lines.get(1).startsWith("w:3: " + "y".repeat(1000) + "...: "), lines.get(1));
  }

  private void assertFault(String expected, Path file) {
    Faults faults = Faults.ofFile("w");
    assertNull(reader.read(file, faults));
    assertEquals(expected, faults.toString());
  }
}
