package dev.weir.bench.torture.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SmallDiskTest {
  @TempDir private Path folder;

  /** A process that ends without having closed its disk. */
  public static void main(String[] folder) {
    System.exit(SmallDisk.at(Path.of(folder[0]), true).canBeFilled() ? 0 : 1);
  }

  @Test
  void goesWithItsProcess() throws IOException, InterruptedException {
    final Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    final Process process =
        new ProcessBuilder(
                java.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                SmallDiskTest.class.getName(),
                folder.toString())
            .inheritIO()
            .start();
    assumeTrue(process.waitFor() == 0, "may not mount a disk");
    assertFalse(Files.readString(Path.of("/proc/self/mounts")).contains(folder.toString()));
  }

  @Test
  void hasNoRoomUntilItIsFreed() throws IOException {
    try (SmallDisk disk = SmallDisk.at(folder, true)) {
      assumeTrue(disk.canBeFilled(), "may not mount a disk");
      final Path file = folder.resolve("log");
      disk.fill();
      assertThrows(IOException.class, () -> Files.writeString(file, "a line"));
      disk.free();
      Files.writeString(file, "a line");
      assertEquals("a line", Files.readString(file));
    }
  }
}
