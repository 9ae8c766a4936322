package dev.weir.algorithms;

import java.io.IOException;
import java.io.RandomAccessFile;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

/**
 * Reads what Linux tells of this process's pages (proc_pid_pagemap(5)): which of them nobody has
 * touched since they were mapped. Of memory that is no file's and not shared, these read as zeroes.
 * Used by one thread.
 *
 * <p>Believed only if it tells rightly of one page that was written to: an emulator of another
 * processor may show the pages at its own addresses, and an allocator may map a file, whose pages
 * look untouched until this process has looked at them.
 */
final class PageMap implements AutoCloseable {
  private static final String FILE = "/proc/self/pagemap";

  /** Bits of an entry whose page is in memory or in swap. */
  private static final long HELD = 0b11L << 62;

  /** Bit of an entry whose page is a file's or shared. */
  private static final long OF_FILE = 1L << 61;

  /** An entry in the place of one that Linux does not tell: its page counts as touched. */
  private static final long UNKNOWN = HELD | OF_FILE;

  /** Pages that are asked about at a time. */
  private static final int PAGES_AT_A_TIME = 128;

  private final byte[] entries = new byte[PAGES_AT_A_TIME * Long.BYTES];

  /** Null where the system does not tell. */
  private final RandomAccessFile file;

  private final boolean isBelieved;

  private PageMap(RandomAccessFile file, long written) {
    this.file = file;
    final long entry = entries(written, 1);
    isBelieved = (entry & HELD) != 0 && (entry & OF_FILE) == 0;
  }

  /**
   * Opens it; where there is none, or it is not believed, every page counts as touched.
   *
   * @param written a byte that has been written to, of the memory that will be asked about.
   */
  static PageMap open(long written) {
    try {
      return new PageMap(new RandomAccessFile(FILE, "r"), written);
    } catch (IOException notTold) {
      return new PageMap(null, written);
    }
  }

  /** Bytes that one query covers; it starts at a multiple of them. */
  static long pieceBytes() {
    return (long) PAGES_AT_A_TIME * UnsafeApi.pageSize();
  }

  /**
   * Whether nobody has touched any page of some memory.
   *
   * @param bytes at least 1; all within one piece of {@link #pieceBytes}.
   * @return false also if that is not known.
   */
  boolean isUntouched(long address, long bytes) {
    return isBelieved && (entries(address, bytes) & (HELD | OF_FILE)) == 0;
  }

  /** The entries of some memory's pages, by "or". */
  private long entries(long address, long bytes) {
    if (file == null) {
      return UNKNOWN;
    }
    final long firstPage = address / UnsafeApi.pageSize();
    final long lastPage = (address + bytes - 1) / UnsafeApi.pageSize();
    final int count = (int) (lastPage - firstPage) + 1;
    try {
      file.seek(firstPage * Long.BYTES);
      file.readFully(entries, 0, count * Long.BYTES);
    } catch (IOException notTold) {
      return UNKNOWN;
    }
    long any = 0;
    for (int i = 0; i < count; i++) {
      any |= UnsafeApi.getLong(entries, BufferUtil.ARRAY_BASE_OFFSET + (long) i * Long.BYTES);
    }
    return any;
  }

  @Override
  public void close() {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException gone) {
      // It was only read.
    }
  }
}
