package dev.weir.bench.torture.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SmallDiskTest {
  @TempDir private Path folder;

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
