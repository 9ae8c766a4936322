package dev.weir.proxy.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitTest {
  private static final long MIB = 1L << 20;

  @TempDir private Path folder;

  @Test
  void whatCannotFitIsToldOfWithItsSettingAndItsBytes() {
    assertEquals(
        "table.keys, table.ring-keys: 40 MiB once as many keys have come, and 48 or more for the"
            + " rest, but the container gives 64 (expected: fewer keys, or more memory); the kernel"
            + " may end this process",
        MemoryLimit.warning(40 * MIB, 64 * MIB));
  }

  @Test
  void whatFitsIsNotToldOf() {
    assertNull(MemoryLimit.warning(40 * MIB, 88 * MIB));
    assertNull(MemoryLimit.warning(MIB, 64 * MIB));
    assertNull(MemoryLimit.warning(1280 * MIB, Long.MAX_VALUE));
  }

  @Test
  void aByteLessThanFitsIsToldOf() {
    assertEquals(
        0, MemoryLimit.warning(40 * MIB, 88 * MIB - 1).indexOf("table.keys, table.ring-keys: 40"));
  }

  @Test
  void aContainerThatIsTooSmallForItIsNotWarmedUp() {
    assertEquals(
        "not warmed up, so that the first requests are slower: the container gives 64 MiB"
            + " (expected: 96 or more)",
        MemoryLimit.whyCold(64 * MIB));
    assertEquals(0, MemoryLimit.whyCold(96 * MIB - 1).indexOf("not warmed up"));
    assertNull(MemoryLimit.whyCold(96 * MIB));
    assertNull(MemoryLimit.whyCold(Long.MAX_VALUE));
  }

  @Test
  void theFirstFileThatTellsALimitIsBelieved() throws IOException {
    Path none = folder.resolve("none");
    Path word = Files.writeString(folder.resolve("memory.max"), "max\n");
    Path bytes = Files.writeString(folder.resolve("limit_in_bytes"), "67108864\n");
    assertEquals(64 * MIB, MemoryLimit.limitBytes(none, word, bytes));
    assertEquals(Long.MAX_VALUE, MemoryLimit.limitBytes(none, word));
  }
}
