package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ZeroedMemoryTest {
  private static final int ALIGNMENT = 64;

  @Test
  @EnabledOnOs(OS.LINUX)
  void takesNothingUntilItIsWrittenTo() throws Exception {
    final int bytes = 256 << 20;
    final long beforeKib = residentKib();
    final ZeroedMemory memory = ZeroedMemory.allocate(bytes, ALIGNMENT);
    try {
      assertTrue(residentKib() - beforeKib < 128 << 10);
      final UnsafeBuffer all = memory.slice(0, bytes);
      for (int at = 0; at < bytes; at += 4096) {
        all.putByte(at, (byte) 1);
      }
      assertTrue(residentKib() - beforeKib > 200 << 10);
    } finally {
      memory.free();
    }
  }

  private static long residentKib() throws Exception {
    return Files.readAllLines(Path.of("/proc/self/status"), StandardCharsets.ISO_8859_1).stream()
        .filter(line -> line.startsWith("VmRSS:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void isZeroWhateverTheAllocatorLeftThere() {
    final int bytes = 3 * 4096 + ALIGNMENT;
    final ZeroedMemory memory = ZeroedMemory.allocate(bytes, ALIGNMENT);
    final UnsafeBuffer all = memory.slice(0, bytes);
    for (int word = 0; word < bytes; word += Long.BYTES) {
      all.putLong(word, 1L << word % 64);
      ZeroedMemory.zero(all.addressOffset(), bytes);
      assertEquals(0, all.getLong(word));
    }
    memory.free();
  }

  @Test
  void isAlignedAndBounded() {
    final ZeroedMemory memory = ZeroedMemory.allocate(100, ALIGNMENT);
    assertEquals(0, memory.slice(0, 100).addressOffset() % ALIGNMENT);
    assertEquals(0, memory.slice(100, 0).capacity());
    assertThrows(IndexOutOfBoundsException.class, () -> memory.slice(1, 100));
    assertThrows(IndexOutOfBoundsException.class, () -> memory.slice(-1, 1));
    memory.free();
    memory.free();
  }
}
