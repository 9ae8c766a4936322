package dev.weir.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pages as a browser shows them; nothing is shown where there is none. */
class HtmlReportIT {
  private static final int SECONDS = 120;
  private static Path chromium;

  @TempDir private Path folder;

  @BeforeAll
  static void findBrowser() {
    for (String path : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
      if (Files.isExecutable(Path.of(path, "chromium"))) {
        chromium = Path.of(path, "chromium");
      }
    }
    assumeTrue(chromium != null, "no chromium on PATH");
  }

  /** The page after its scripts, as markup. */
  private String shown(RunResult... runs) throws IOException, InterruptedException {
    final Path page = folder.resolve("page.html");
    new HtmlReport(List.of(runs)).write(page);
    final Path dom = folder.resolve("dom.html");
    // Not in JUnit's folder, which must be empty at once: what a browser started may still write.
    show(page, dom, Files.createTempDirectory(Path.of("target").toAbsolutePath(), "chromium"));
    return Files.readString(dom);
  }

  private static void show(Path page, Path dom, Path profile)
      throws IOException, InterruptedException {
    final Process browser =
        new ProcessBuilder(
                chromium.toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--user-data-dir=" + profile,
                "--virtual-time-budget=2000",
                "--dump-dom",
                page.toUri().toString())
            .redirectOutput(dom.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertTrue(browser.waitFor(SECONDS, TimeUnit.SECONDS), "still running");
    } finally {
      browser.descendants().forEach(ProcessHandle::destroyForcibly);
      browser.destroyForcibly().waitFor();
    }
  }

  private static void assertDrawn(int charts, String dom) {
    final Matcher root = Pattern.compile("<html[^>]*>").matcher(dom);
    assertTrue(root.find(), "no page");
    assertFalse(root.group().contains("data-error"), root.group());
    assertTrue(root.group().contains("data-charts=\"" + charts + "\""), root.group());
  }

  @Test
  void everyChartOfARunIsDrawnAndItsLegendsAreButtons() throws IOException, InterruptedException {
    final String dom = shown(SampleRuns.run("steady", 25, 1));
    assertDrawn(5, dom);
    final Matcher buttons =
        Pattern.compile("<button type=\"button\" aria-pressed=\"true\">").matcher(dom);
    assertEquals(2 + 4 + 5, buttons.results().count());
  }

  @Test
  void everyChartOfSeveralRunsIsDrawn() throws IOException, InterruptedException {
    final RunResult log = SampleRuns.run("log", 25, 1);
    final RunResult uncounted =
        new RunResult(
            "</script>\u2028", log.facts(), List.of(), List.of(), List.of(), log.latencies());
    assertDrawn(6, shown(SampleRuns.run("steady", 25, 1), SampleRuns.refused(), uncounted));
  }

  @Test
  void aRunWithoutLatenciesIsDrawnAsFarAsItGoes() throws IOException, InterruptedException {
    final RunResult run = SampleRuns.refused();
    final RunResult silent =
        new RunResult(
            run.name(), run.facts(), List.of(), List.of(), run.slices(), new ArrayList<>());
    assertDrawn(1, shown(silent));
  }
}
