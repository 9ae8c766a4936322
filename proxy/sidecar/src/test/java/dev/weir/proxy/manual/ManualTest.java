package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.RunFlags;
import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingRow;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.envoy.file.ConfigurationFolder;
import dev.weir.proxy.manual.ManualPage.Block;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/**
 * What README.md and docs/ show is true of the program beside them, as far as that can be told
 * without starting it; {@code ManualIT} starts it. What they say of {@code ./weir bench} and {@code
 * ./weir simulate} is read in the modules of bench.
 */
class ManualTest {
  private static final String UPSTREAM = "upstream: http://127.0.0.1:8080\n";

  static List<Block> shell() {
    return ManualPage.blocks("sh");
  }

  static List<Block> yaml() {
    return ManualPage.blocks("yaml");
  }

  static List<Block> java() {
    return ManualPage.blocks("java");
  }

  @Test
  void hasNoBlockThatNoTestReads() {
    for (ManualPage page : ManualPage.all()) {
      for (Block block : page.blocks()) {
        assertTrue(
            Set.of("sh", "yaml", "java", "http", "text", "nginx", "caddy", "haproxy", "lua")
                .contains(block.language()),
            block.toString());
      }
    }
    assertFalse(shell().isEmpty() || yaml().isEmpty() || java().isEmpty());
  }

  @ParameterizedTest
  @MethodSource("yaml")
  void showsFilesWithoutAFaultOrAWarning(Block block, @TempDir Path folder) throws Exception {
    if (block.text().startsWith("mode:")) {
      return; // values of the chart, which deploy's tests render
    }
    if (block.text().startsWith("domain:")) {
      assertEquals("", faultsOfRateLimits(block.text(), folder), block.toString());
      return;
    }
    String text = block.text().startsWith("upstream:") ? block.text() : UPSTREAM + block.text();
    Faults faults = Faults.ofFile(block.toString());
    assertNotNull(
        new SettingsFile().read(text.getBytes(StandardCharsets.UTF_8), faults), faults.toString());
    if (text.contains("rules:")) {
      assertEquals(List.of(), faults.warnings());
    }
  }

  /** Of a file of envoyproxy/ratelimit. */
  private static String faultsOfRateLimits(String text, Path folder) throws Exception {
    Files.writeString(folder.resolve("limits.yaml"), text);
    List<Faults> faults = new ArrayList<>();
    boolean isGood = new ConfigurationFolder(folder, false, true, 0, 0).read(faults) != null;
    return isGood ? "" : faults.toString();
  }

  @ParameterizedTest
  @MethodSource("shell")
  void showsCommandsThatThereAre(Block block, @TempDir Path folder) throws Exception {
    for (String line : block.commands()) {
      String command =
          line.replaceFirst("^sudo ", "").replaceFirst(" &$", "").replaceFirst(" > [\\w.-]+$", "");
      List<String> words = ManualPage.words(command);
      switch (words.get(0)) {
        case "./weir" -> {
          if (!Set.of("bench", "simulate").contains(words.get(1))) {
            parse(block + ": " + command, words.subList(1, words.size()));
          }
        }
        case "openssl" -> assertTrue(Set.of("req", "s_client").contains(words.get(1)), command);
        case "curl" -> checkUrl(command, words.get(words.size() - 1));
        case "for" -> checkUrl(command, words.get(words.size() - 2).replace(";", ""));
        case "./mvnw" -> checkBuild(words);
        case "java" ->
            assertEquals("", faultsOf(ManualPage.root().resolve(words.get(3)), folder), command);
        case "redis-cli" -> assertTrue(Set.of("DEL", "PUBLISH").contains(words.get(1)), command);
        case "systemctl" ->
            assertTrue(
                Files.exists(
                    ManualPage.root()
                        .resolve("deploy/systemd/" + words.get(words.size() - 1) + ".service")),
                command);
        case "apt-get",
            "cd",
            "cp",
            "git",
            "helm",
            "install",
            "kind",
            "kubectl",
            "ln",
            "mv",
            "podman",
            "podman-compose",
            "python3",
            "sleep",
            "tar",
            "useradd" ->
            checkFiles(words);
        default ->
            assertTrue(
                Files.isExecutable(ManualPage.root().resolve(words.get(0))),
                block + ": " + command);
      }
    }
  }

  /** Files of deploy/ that a command names. */
  private static void checkFiles(List<String> words) {
    for (String word : words) {
      boolean isThere = Files.exists(ManualPage.root().resolve(word));
      assertTrue(isThere || !word.startsWith("deploy/"), words.toString());
    }
  }

  private static void parse(String shown, List<String> words) {
    CommandLine commandLine = WeirCommand.commandLine();
    ParseResult parsed = commandLine.parseArgs(words.toArray(new String[0]));
    assertNotNull(parsed.subcommand(), shown);
    ParseResult command = parsed.subcommand();
    assertEquals(List.of(), command.unmatched(), shown);
    if (command.commandSpec().name().equals("run") && !command.hasMatchedOption("-c")) {
      List<String> problems = new ArrayList<>();
      Faults faults = Faults.ofFlags();
      Settings settings = SettingsFlags.read(RunFlags.given(command, problems), faults);
      assertEquals(List.of(), problems, shown);
      assertNotNull(settings, shown + ": " + faults);
    }
  }

  /** Where a sidecar with the default settings listens. */
  private static void checkUrl(String command, String url) {
    URI uri = URI.create(url);
    assertEquals("127.0.0.1", uri.getHost(), command);
    assertTrue(Set.of(8000, 8081, 8443, 9090).contains(uri.getPort()), command);
  }

  /** {@code ./mvnw verify}, or one test by its name in the module that it is in. */
  private static void checkBuild(List<String> words) throws IOException {
    if (words.size() > 2) {
      String test = words.get(4).replace("-Dtest=", "") + ".java";
      Path sources = ManualPage.root().resolve(words.get(2)).resolve("src/test/java");
      try (Stream<Path> files = Files.walk(sources)) {
        assertTrue(files.anyMatch(file -> file.endsWith(test)), test + " in " + sources);
      }
      assertEquals(List.of("./mvnw", "-pl", words.get(2), "-am", words.get(4), "test"), words);
    } else {
      assertEquals(List.of("./mvnw", "verify"), words);
    }
  }

  @ParameterizedTest
  @MethodSource("java")
  void showsProgramsThatCompileAndRun(Block block, @TempDir Path folder) throws Exception {
    Matcher name = Pattern.compile("public final class (\\w+)").matcher(block.text());
    assertTrue(name.find(), block.toString());
    Path source = folder.resolve(name.group(1) + ".java");
    Files.writeString(source, block.text());
    assertEquals("", faultsOf(source, folder), block.toString());
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      assertTrue(printedBy(loader.loadClass(name.group(1))).lines().count() >= 1, block.toString());
    }
  }

  /** What javac has to say of a source; its classes go to the folder. */
  private static String faultsOf(Path source, Path folder) {
    ByteArrayOutputStream faults = new ByteArrayOutputStream();
    int exitCode =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                faults,
                faults,
                "-Xlint:all",
                "-Werror",
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                folder.toString(),
                source.toString());
    return exitCode == 0 ? "" : faults.toString(StandardCharsets.UTF_8);
  }

  private static String printedBy(Class<?> program) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      System.setOut(out);
      program.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
    } finally {
      System.setOut(before);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }

  /** By name, with the default in backticks where it can be written down, and only there. */
  @Test
  void listsEverySettingWithItsDefaultAndNoOther() {
    Map<String, String> listed = new TreeMap<>();
    for (List<String> row : settings()) {
      String standard = row.get(1).startsWith("`") ? code(row.get(1)) : "";
      assertNull(listed.put(code(row.get(0)), standard), row.toString());
    }
    Map<String, String> rows = new TreeMap<>();
    for (SettingRow<?> row : SettingsFlags.rows()) {
      rows.put(row.name(), row.standard() == null ? "" : row.standard());
    }
    assertEquals(rows, listed);
  }

  /** The rows of the two tables of settings, which have three columns; others have not. */
  private static List<List<String>> settings() {
    return ManualPage.of("docs/configuration.md").rows().stream()
        .filter(row -> row.size() == 3 && !row.get(0).startsWith("`--"))
        .toList();
  }

  private static String code(String cell) {
    return cell.substring(1, cell.indexOf('`', 1));
  }

  @Test
  void showsTheFaultOfAFileAsItIsTold() {
    String shown = textOfConfiguration(3);
    String file = UPSTREAM + "\n".repeat(8) + "rules:\n  - id: a\n    limit: 0/1m\n";
    Faults faults = Faults.ofFile("weir.yaml");
    assertNull(new SettingsFile().read(file.getBytes(StandardCharsets.UTF_8), faults));
    assertEquals(shown, faults.toString().strip());
  }

  @Test
  void showsARuleWithEveryDefaultAsItIsPrinted(@TempDir Path folder) throws Exception {
    Block file =
        ManualPage.of("docs/configuration.md").blocks().stream()
            .filter(block -> block.text().startsWith("upstream:"))
            .findFirst()
            .orElseThrow();
    Path weir = Files.writeString(folder.resolve("weir.yaml"), file.text());
    StringWriter out = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine().setOut(new PrintWriter(out));
    assertEquals(0, commandLine.execute("check", "--effective", weir.toString()));
    String printed = out.toString();
    String rule =
        printed.substring(printed.indexOf("  - id: api"), printed.indexOf("  - id: assets"));
    assertEquals(textOfConfiguration(0), rule.strip());
  }

  @Test
  void showsAnExplanationAsItIsPrinted(@TempDir Path folder) throws Exception {
    Block file =
        ManualPage.of("docs/configuration.md").blocks().stream()
            .filter(block -> block.text().contains("id: partner, match: {host"))
            .findFirst()
            .orElseThrow();
    Path weir = Files.writeString(folder.resolve("weir.yaml"), UPSTREAM + file.text());
    StringWriter out = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine().setOut(new PrintWriter(out));
    String line = "explain -c " + weir + " -- curl -X POST https://api.example.com/v1/chat -H";
    List<String> words = new ArrayList<>(List.of(line.split(" ")));
    words.add("x-user-id: 7");
    assertEquals(0, commandLine.execute(words.toArray(String[]::new)));
    assertEquals(textOfConfiguration(2), out.toString().strip());
  }

  private static String textOfConfiguration(int index) {
    return ManualPage.of("docs/configuration.md").blocks().stream()
        .filter(block -> block.language().equals("text"))
        .skip(index)
        .findFirst()
        .orElseThrow()
        .text()
        .strip();
  }

  @Test
  void showsTheWarningOfARuleThatNothingReachesAsItIsTold() {
    String file =
        UPSTREAM
            + """
            rules:
              - id: all
                match: {path: /orders}
                priority: 1
                limit: 100/1s
              - id: slow
                match: {path: /orders, methods: [GET]}
                limit: 1/1s
            """;
    Faults faults = Faults.ofFile("weir.yaml");
    new SettingsFile().read(file.getBytes(StandardCharsets.UTF_8), faults);
    assertEquals(textOfConfiguration(1), faults.warnings().get(0).toString());
  }
}
