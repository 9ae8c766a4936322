package dev.weir.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Runs the jcstress tests of {@link dev.weir.bench.stress} from the jar that is built. */
class StressIT {
  private static final Pattern TOTALS =
      Pattern.compile(
          "Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs");
  private static final int TESTS = 21;
  private static final int TEST_MS = 400;
  private static final int MAX_MINUTES = 8;

  /**
   * In how many ways jcstress runs each test: on a JVM that has biased locking, with and without
   * it, which is one and the same to tests that lock nothing.
   */
  private static int configurations() {
    return Runtime.version().feature() < 18 ? 2 : 1;
  }

  @Test
  void noRunShowsAForbiddenOutcome() throws IOException, InterruptedException {
    final Path target = Path.of("target").toAbsolutePath();
    final Path directory = Files.createDirectories(target.resolve("jcstress"));
    final Path output = directory.resolve("output.txt");
    final Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    target.resolve("weir-lab.jar").toString(),
                    "org.openjdk.jcstress.Main",
                    "-t",
                    "dev.weir.bench.stress",
                    "-f",
                    "1",
                    "-iters",
                    "1",
                    "-time",
                    Integer.toString(TEST_MS / configurations()),
                    "-pth",
                    "false",
                    "-sc",
                    "false",
                    "-af",
                    "NONE",
                    "-v",
                    "-jvmArgs",
                    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
                    "-r",
                    directory.resolve("report").toString()))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    final boolean ended = process.waitFor(MAX_MINUTES, TimeUnit.MINUTES);
    process.destroyForcibly();
    assertTrue(ended, "jcstress takes longer than " + MAX_MINUTES + " minutes");
    final String text = Files.readString(output);
    final Matcher totals = TOTALS.matcher(text);
    String last = null;
    while (totals.find()) {
      last = totals.group();
      assertEquals("0", totals.group(3), text);
      assertEquals("0", totals.group(4), text);
      assertEquals("0", totals.group(5), text);
    }
    assertTrue(last != null && text.contains("Failed tests: No matches."), text);
    assertTrue(text.contains("Error tests: No matches."), text);
    assertTrue(text.contains("All remaining tests: " + TESTS + " matching test results."), text);
  }
}
