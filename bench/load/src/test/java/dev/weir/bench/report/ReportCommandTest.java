package dev.weir.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReportCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir private Path folder;
  private Path first;
  private Path second;
  private Path page;

  @BeforeEach
  void writeRuns() throws IOException {
    first = folder.resolve("first");
    second = folder.resolve("second");
    page = folder.resolve("page.html");
    RunFiles.write(first, SampleRuns.run("weir", 3, 1));
    RunFiles.write(second, SampleRuns.run("nginx", 3, 2));
  }

  private int run(Object... args) {
    final CommandLine commandLine = new CommandLine(new ReportCommand());
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    final List<String> texts = new ArrayList<>();
    for (Object arg : args) {
      texts.add(arg.toString());
    }
    return commandLine.execute(texts.toArray(String[]::new));
  }

  private void assertWrong(String message) {
    assertTrue(err.toString().startsWith(message + "\n"), err.toString());
    assertFalse(Files.exists(page));
  }

  @Test
  void runsStandBesideTheFirst() throws IOException {
    assertEquals(0, run(first, second.resolve("run.json"), "--out", page), err::toString);
    final String[] lines = out.toString().split("\n");
    assertTrue(lines[0].matches("\\| run +\\| throughput /s \\| +p50 ms \\|.*"), lines[0]);
    assertTrue(lines[2].matches("\\| weir +\\| +19,9\\d\\d \\| +1\\.0\\d \\|.*"), lines[2]);
    assertTrue(
        lines[3].matches(".* \\(1\\.00\\) \\| (1\\.9|2\\.0)\\d \\((1\\.9|2\\.0)\\d\\) \\|.*"),
        lines[3]);
    assertTrue(Files.readString(page).contains("<h1>2 runs beside weir</h1>"));
  }

  @Test
  void oneRunIsShownAsItWas() throws IOException {
    assertEquals(0, run(first, "--out", page), err::toString);
    assertEquals(Files.readString(first.resolve("report.html")), Files.readString(page));
  }

  @Test
  void aLogAloneIsShown() throws IOException {
    assertEquals(0, run(first.resolve("run.hlog"), "--out", page), err::toString);
    assertTrue(Files.readString(page).contains("<h1>run</h1>"));
  }

  @Test
  void runsOfOneNameAreToldApart() throws IOException {
    RunFiles.write(second, SampleRuns.run("weir", 2, 2));
    assertEquals(0, run(first, second, "--out", page), err::toString);
    assertTrue(out.toString().contains("| weir (2) |"), out.toString());
  }

  @Test
  void warningsOfRunsAreRepeated() throws IOException {
    RunFiles.write(second, SampleRuns.warned());
    assertEquals(0, run(first, second, "--out", page), err::toString);
    assertTrue(
        err.toString().contains("Warning: beyond the ceiling: The harness started"),
        err.toString());
  }

  @Test
  void aRunThatIsNotThereIsNamed() {
    assertEquals(2, run(first, folder.resolve("third"), "--out", page));
    assertWrong("RUN: " + folder.resolve("third") + " (expected: a file or folder that exists)");
  }

  @Test
  void aRunIsTakenOnce() {
    assertEquals(2, run(first, first.resolve("run.json"), "--out", page));
    assertWrong("RUN: " + first.resolve("run.json") + " (expected: each run once)");
  }

  @Test
  void nineRunsAreTooMany() {
    assertEquals(2, run(Collections.nCopies(9, first).toArray()));
    assertWrong("RUN: 9 of them (expected: from 1 to 8)");
  }

  @Test
  void noInputIsOverwritten() throws IOException {
    final Path json = first.resolve("run.json");
    final String before = Files.readString(json);
    assertEquals(2, run(first, "--out", json));
    assertWrong("--out: " + json + " (expected: none of the files that are read)");
    assertEquals(2, run(json, "--out", first.resolve("run.hlog")));
    assertEquals(before, Files.readString(json));
  }

  @Test
  void whatARunIsShownByIsMadeAgainInItsFolder() throws IOException {
    final Map<String, String> before = contents(first);
    assertTrue(before.keySet().containsAll(List.of("run.csv", "run.hgrm", "report.html")));
    for (String name : before.keySet()) {
      if (!name.equals("run.json") && !name.equals("run.hlog")) {
        Files.delete(first.resolve(name));
      }
    }
    assertEquals(0, run(first, "--out", first), err::toString);
    assertEquals(before, contents(first));
  }

  private static Map<String, String> contents(Path folder) throws IOException {
    final Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        contents.put(file.getFileName().toString(), Files.readString(file));
      }
    }
    return contents;
  }

  @Test
  void theOutputOfSeveralRunsIsNoFolder() {
    assertEquals(2, run(first, second, "--out", folder));
    assertWrong("--out: " + folder + " (expected: a file, or a folder for a single run)");
  }
}
