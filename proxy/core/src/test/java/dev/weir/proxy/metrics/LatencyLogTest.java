package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class LatencyLogTest {
  private static final long NEVER_NS = TimeUnit.DAYS.toNanos(1);
  private static final long OFTEN_NS = TimeUnit.MILLISECONDS.toNanos(5);

  @TempDir private Path folder;

  private final Metrics metrics = new Metrics();
  private final LoopMetrics loop = metrics.newLoop();

  private Path file() {
    return folder.resolve("a.hlog");
  }

  /** A process that decides so often, and ends. */
  private void run(int decisions) throws IOException {
    Metrics own = new Metrics();
    LoopMetrics ownLoop = own.newLoop();
    try (LatencyLog log = new LatencyLog(file(), own)) {
      log.start(NEVER_NS);
      for (int i = 0; i < decisions; i++) {
        ownLoop.decided(1_000);
      }
    }
  }

  private static long count(Path file) throws IOException {
    long count = 0;
    try (HistogramLogReader log = new HistogramLogReader(file.toFile())) {
      Histogram interval;
      while ((interval = (Histogram) log.nextIntervalHistogram()) != null) {
        count += interval.getTotalCount();
      }
    }
    return count;
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      TimeUnit.MILLISECONDS.sleep(2);
    }
  }

  private static boolean holds(Path file, String text) {
    try {
      return Files.exists(file) && Files.readString(file).contains(text);
    } catch (IOException e) {
      return false;
    }
  }

  private double errorCount() {
    String text = new String(metrics.expose(null).body(), StandardCharsets.UTF_8);
    return text.lines()
        .filter(line -> line.startsWith("weir_latency_log_errors_total "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .findFirst()
        .orElse(-1);
  }

  @Test
  void writesTheLastIntervalWhenItIsClosed() throws IOException {
    run(3);
    assertEquals(3, count(file()));
  }

  @Test
  void appendsToALogThatIsThere() throws IOException {
    run(3);
    run(4);
    assertEquals(7, count(file()));
  }

  @Test
  void writesNothingToTheLogOfAnotherUnlessItIsStarted() throws IOException {
    run(3);
    String others = Files.readString(file());
    new LatencyLog(file(), metrics).close();
    assertEquals(others, Files.readString(file()));
  }

  @Test
  void cutsOffALineThatACrashCutShort() throws IOException {
    run(3);
    String whole = Files.readString(file());
    Files.writeString(file(), whole + whole.substring(0, whole.length() - 20));
    run(4);
    assertEquals(7, count(file()));
    Files.writeString(file(), "#[Logg");
    run(5);
    assertEquals(5, count(file()));
  }

  @Test
  void writesNothingForAnIntervalWithoutTimes() throws Exception {
    try (LatencyLog log = new LatencyLog(file(), metrics)) {
      log.start(OFTEN_NS);
      await(() -> holds(file(), "StartTimestamp"));
      loop.decided(1_000);
      await(() -> holds(file(), "Tag=decision"));
    }
    assertEquals(1, Files.readString(file()).lines().filter(x -> x.startsWith("Tag")).count());
  }

  @Test
  void goesOnInANewFileWhenItsOwnIsMovedAway() throws Exception {
    Path rotated = folder.resolve("a.hlog.1");
    try (LatencyLog log = new LatencyLog(file(), metrics)) {
      log.start(OFTEN_NS);
      loop.decided(1_000);
      await(() -> holds(file(), "Tag=decision"));
      Files.move(file(), rotated);
      loop.decided(1_000);
      await(() -> holds(file(), "Tag=decision"));
    }
    assertEquals(1, count(rotated));
    assertEquals(1, count(file()));
    assertEquals(0, errorCount());
  }

  @Test
  void beginsAnewInAFileThatWasEmptied() throws Exception {
    try (LatencyLog log = new LatencyLog(file(), metrics)) {
      log.start(OFTEN_NS);
      loop.decided(1_000);
      await(() -> holds(file(), "Tag=decision"));
      Files.write(file(), new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
      await(() -> holds(file(), "StartTimestamp"));
      loop.decided(1_000);
      await(() -> holds(file(), "Tag=decision"));
    }
    assertEquals(1, count(file()));
  }

  @Test
  void losesNothingWhileItCannotBeWritten() throws Exception {
    try (LatencyLog log = new LatencyLog(file(), metrics)) {
      log.start(OFTEN_NS);
      await(() -> holds(file(), "StartTimestamp"));
      replaceByAFolder(file());
      loop.decided(1_000);
      await(() -> errorCount() > 2);
      loop.decided(1_000);
      Files.delete(file());
      await(() -> holds(file(), "Tag=decision"));
    }
    assertEquals(2, count(file()));
  }

  /** Stands in the way of a new file, of which the log may make one at any moment. */
  private void replaceByAFolder(Path file) throws IOException {
    for (int i = 0; ; i++) {
      Files.move(file, folder.resolve("away." + i));
      try {
        Files.createDirectory(file);
        return;
      } catch (FileAlreadyExistsException again) {
        // The log was quicker.
      }
    }
  }

  @Test
  @EnabledIf(value = "hasFullDevice", disabledReason = "no /dev/full here")
  void countsAFullDiskAndGoesOn() throws Exception {
    try (LatencyLog log = new LatencyLog(Path.of("/dev/full"), metrics)) {
      log.start(OFTEN_NS);
      await(() -> errorCount() > 2);
    }
  }

  static boolean hasFullDevice() {
    return Files.exists(Path.of("/dev/full"));
  }

  @Test
  void namesWhatItCannotOpenAndLeavesItAlone() throws IOException {
    Path settings = Files.writeString(folder.resolve("weir.yaml"), "upstream: a\n");
    for (Path bad : new Path[] {folder, folder.resolve("none/a.hlog"), settings}) {
      String message =
          assertThrows(IOException.class, () -> new LatencyLog(bad, metrics)).getMessage();
      assertTrue(message.startsWith("latency-log: " + bad + ": "), message);
      assertTrue(message.endsWith(" (expected: an interval log, or a file that can be made)"));
      assertFalse(message.contains("null"), message);
    }
    assertEquals("upstream: a\n", Files.readString(settings));
  }
}
