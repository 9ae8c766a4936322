package dev.weir.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.JCStress;
import org.openjdk.jcstress.Options;
import org.openjdk.jcstress.vm.VMSupport;

/** Runs the jcstress tests of {@link dev.weir.bench.stress} from the jar that is built. */
class StressIT {
  private static final Pattern TOTALS =
      Pattern.compile(
          "Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs");
  private static final int TESTS = 30;
  private static final int TEST_MS = 200;
  private static final int MAX_MINUTES = 8;

  /** Runs tests as {@code org.openjdk.jcstress.Main} does, but each with one set of JVM options. */
  public static final class Once {
    private Once() {}

    /** The arguments are those of jcstress. */
    public static void main(String[] args) throws Exception {
      final Options options = new Options(args);
      if (!options.parse()) {
        System.exit(1);
      }
      new JCStress(options) {
        /**
         * Asked for once the ways are known. A JVM that has biased locking would run each test with
         * and without it, which is one and the same to tests that lock nothing.
         */
        @Override
        public SortedSet<String> getTests() {
          VMSupport.getAvailableVMConfigs()
              .removeIf(way -> way.args().contains("-XX:+UseBiasedLocking"));
          return super.getTests();
        }
      }.run();
    }
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
                    target.resolve("weir-lab.jar")
                        + File.pathSeparator
                        + target.resolve("test-classes"),
                    Once.class.getName(),
                    "-t",
                    "dev.weir.bench.stress",
                    "-f",
                    "1",
                    "-iters",
                    "1",
                    "-time",
                    Integer.toString(TEST_MS),
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
    String passed = null;
    while (totals.find()) {
      assertEquals(Integer.toString(TESTS), totals.group(1), text);
      passed = totals.group(2);
      assertEquals("0", totals.group(3), text);
      assertEquals("0", totals.group(4), text);
      assertEquals("0", totals.group(5), text);
    }
    assertEquals(Integer.toString(TESTS), passed, text);
    assertTrue(text.contains("Failed tests: No matches."), text);
    assertTrue(text.contains("Error tests: No matches."), text);
  }
}
