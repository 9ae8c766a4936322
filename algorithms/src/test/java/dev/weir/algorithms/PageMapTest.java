package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class PageMapTest {
  /** More than what an allocator keeps of memory that was freed. */
  private static final long BYTES = 64L << 20;

  @Test
  void knowsOfEveryPageWhetherItWasTouched() {
    long allocated = UnsafeApi.allocateMemory(BYTES);
    UnsafeApi.putByte(allocated, (byte) 1);
    long pieceBytes = PageMap.pieceBytes();
    long piece = (allocated / pieceBytes + 1) * pieceBytes;
    int pageBytes = UnsafeApi.pageSize();
    try (PageMap pages = PageMap.open(allocated)) {
      assertTrue(pages.isUntouched(piece, pieceBytes));
      // Backwards, so that each page is the first that was touched.
      for (long page = piece + pieceBytes - pageBytes; page >= piece; page -= pageBytes) {
        assertTrue(pages.isUntouched(piece, page - piece + pageBytes));
        UnsafeApi.putByte(page + pageBytes - 1, (byte) 0);
        assertFalse(pages.isUntouched(piece, pieceBytes));
        assertFalse(pages.isUntouched(page + pageBytes - 1, 1));
        assertFalse(pages.isUntouched(page, 1));
      }
    } finally {
      UnsafeApi.freeMemory(allocated);
    }
  }

  @Test
  void knowsNothingOfMemoryThatIsAFiles(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("of an allocator");
    Files.write(file, new byte[1 << 20]);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      // Of its pages the system tells what it tells of new ones, until this process looks at them.
      MappedByteBuffer mapped = channel.map(MapMode.READ_WRITE, 0, 1 << 20);
      mapped.put(0, (byte) 1);
      try (PageMap pages = PageMap.open(BufferUtil.address(mapped))) {
        assertFalse(pages.isUntouched(BufferUtil.address(mapped) + (1 << 19), 1));
      }
    }
  }

  @Test
  void knowsNothingWhereItDoesNotKnowOfAPageThatWasWrittenTo() {
    long allocated = UnsafeApi.allocateMemory(BYTES);
    try (PageMap pages = PageMap.open(allocated + BYTES / 2)) { // as if it had been
      assertFalse(pages.isUntouched(allocated + BYTES / 4, 1));
    } finally {
      UnsafeApi.freeMemory(allocated);
    }
  }

  @Test
  void countsPagesAsTouchedThatWereOnlyReadOrAreWrittenToAgain() {
    long allocated = UnsafeApi.allocateMemory(BYTES);
    UnsafeApi.putByte(allocated, (byte) 1);
    long piece = (allocated / PageMap.pieceBytes() + 1) * PageMap.pieceBytes();
    try (PageMap pages = PageMap.open(allocated)) {
      assertEquals(0, UnsafeApi.getByte(piece));
      assertFalse(pages.isUntouched(piece, 1));
      UnsafeApi.putLong(piece, 1);
      assertFalse(pages.isUntouched(piece, Long.BYTES));
    } finally {
      UnsafeApi.freeMemory(allocated);
    }
  }
}
