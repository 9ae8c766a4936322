package dev.weir.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class OutputFilesTest {
  @TempDir private Path folder;

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }

  private void write(Path file, String text) throws IOException {
    try (OutputFiles files = new OutputFiles()) {
      files.write(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
      files.publish();
    }
  }

  @Test
  void aFileIsThereOnceItIsWholeAndNotBefore() throws IOException {
    final Path file = folder.resolve("file");
    try (OutputFiles files = new OutputFiles()) {
      files.write(file, out -> out.write('x'));
      assertFalse(Files.exists(file));
      files.publish();
    }
    assertEquals("x", Files.readString(file));
    assertEquals(1, files());
  }

  @Test
  void aFailureLeavesNothing() throws IOException {
    final Path file = folder.resolve("file");
    final ReportFileException fault =
        assertThrows(
            ReportFileException.class,
            () -> {
              try (OutputFiles files = new OutputFiles()) {
                files.write(
                    file,
                    out -> {
                      out.write('x');
                      throw new IOException("No space left on device");
                    });
                files.publish();
              }
            });
    assertEquals(file + ": cannot be written: No space left on device", fault.getMessage());
    assertEquals(0, files());
  }

  @Test
  void aLinkKeepsPointingAtTheFile() throws IOException {
    final Path file = Files.writeString(folder.resolve("file"), "old");
    final Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    write(link, "new");
    assertEquals("new", Files.readString(file));
    assertTrue(Files.isSymbolicLink(link));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aFullDeviceIsAnErrorEvenBehindAStreamThatSwallowsIt() {
    final Path full = Path.of("/dev/full");
    final ReportFileException fault =
        assertThrows(
            ReportFileException.class,
            () -> {
              try (OutputFiles files = new OutputFiles()) {
                files.write(
                    full,
                    out -> {
                      final PrintStream text =
                          new PrintStream(out, false, StandardCharsets.US_ASCII);
                      // More than any buffer holds until the end.
                      text.write(new byte[200_000], 0, 200_000);
                      text.flush();
                    });
              }
            });
    assertEquals("/dev/full: cannot be written: No space left on device", fault.getMessage());
  }
}
