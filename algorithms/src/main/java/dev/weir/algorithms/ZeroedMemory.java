package dev.weir.algorithms;

import org.agrona.BitUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory outside the heap that begins as zeroes, of which the process takes only what is written
 * to. Large pieces come from the system as pages that read as zeroes and are nobody's yet; most
 * allocators hand them out as they are, but none promises it. So the system is asked whether pages
 * have been touched; of those that may have been every word is looked at, which takes no memory,
 * and what is not zero is made so.
 */
final class ZeroedMemory {
  /** Bytes that are cleared at a time: the smallest page of any system. */
  private static final int PAGE_BYTES = 4096;

  /** Words that are read for each turn of a loop: it runs before anything is compiled. */
  private static final int WORDS_AT_A_TIME = 8;

  /** Address that the system returned; 0 once the memory has been freed. */
  private long allocated;

  private final long address;
  private final int bytes;

  private ZeroedMemory(long allocated, long address, int bytes) {
    this.allocated = allocated;
    this.address = address;
    this.bytes = bytes;
  }

  /**
   * Takes memory.
   *
   * @param alignment of its first byte: a power of two, and so many words at least as are read at a
   *     time.
   * @throws OutOfMemoryError if there is not as much.
   */
  static ZeroedMemory allocate(int bytes, int alignment) {
    final long roundedBytes = BitUtil.align((long) bytes, alignment);
    final long allocated = UnsafeApi.allocateMemory(roundedBytes + alignment);
    final long address = BitUtil.align(allocated, alignment);
    zero(address, roundedBytes);
    return new ZeroedMemory(allocated, address, bytes);
  }

  /**
   * Makes memory zero, and writes only where it is not, and to its first word.
   *
   * @param bytes as well as {@code address}: a multiple of so many words as are read at a time, and
   *     not 0.
   */
  static void zero(long address, long bytes) {
    final long end = address + bytes;
    UnsafeApi.putLong(address, 0);
    try (PageMap pages = PageMap.open(address)) {
      final long pieceBytes = PageMap.pieceBytes();
      for (long at = address; at < end; at += pieceBytes - at % pieceBytes) {
        final long length = Math.min(end - at, pieceBytes - at % pieceBytes);
        if (!pages.isUntouched(at, length)) {
          zeroByLooking(at, length);
        }
      }
    }
  }

  private static void zeroByLooking(long address, long bytes) {
    for (long offset = 0; offset < bytes; offset += PAGE_BYTES) {
      final long pageBytes = Math.min(PAGE_BYTES, bytes - offset);
      if (!isZero(address + offset, pageBytes)) {
        UnsafeApi.setMemory(address + offset, pageBytes, (byte) 0);
      }
    }
  }

  private static boolean isZero(long address, long bytes) {
    long any = 0;
    for (long at = address; at < address + bytes; at += WORDS_AT_A_TIME * Long.BYTES) {
      any |=
          UnsafeApi.getLong(at)
              | UnsafeApi.getLong(at + 8)
              | UnsafeApi.getLong(at + 16)
              | UnsafeApi.getLong(at + 24)
              | UnsafeApi.getLong(at + 32)
              | UnsafeApi.getLong(at + 40)
              | UnsafeApi.getLong(at + 48)
              | UnsafeApi.getLong(at + 56);
    }
    return any == 0;
  }

  /** A part of it, which is valid until {@link #free}. */
  UnsafeBuffer slice(int offset, int length) {
    if (offset < 0 || length < 0 || length > bytes - offset) {
      throw new IndexOutOfBoundsException(offset + ", " + length + " of " + bytes);
    }
    return new UnsafeBuffer(address + offset, length);
  }

  /** Gives it back, if that was not done before. */
  synchronized void free() {
    UnsafeApi.freeMemory(allocated);
    allocated = 0;
  }
}
