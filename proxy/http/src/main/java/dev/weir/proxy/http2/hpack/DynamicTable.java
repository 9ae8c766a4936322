package dev.weir.proxy.http2.hpack;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The dynamic table of one decoder (RFC 7541, section 2.3.2): at most 4,096 bytes as they are
 * counted. An entry keeps what its field means, so that neither its name is looked up nor its
 * syntax checked again.
 *
 * <p>The bytes of an entry lie together in a ring of twice the table's size: an entry that does not
 * fit before the ring's end begins at its start, which leaves out less than a table. Ring and
 * columns grow as entries come; a connection that has none pays for none.
 */
final class DynamicTable {
  /** The size that a table has unless its decoder announces another (RFC 9113, section 6.5.2). */
  static final int MAX_BYTES = 4_096;

  private static final int FIRST_RING_BYTES = 1024;
  private static final int FIRST_ENTRIES = 8;
  private static final int[] NO_ENTRIES = {};

  private static final int INTS_PER_ENTRY = 4;
  private static final int OFFSET = 0;
  private static final int NAME_LENGTH = 1;
  private static final int VALUE_LENGTH = 2;
  private static final int KIND_AND_MARK = 3;
  private static final int MARK_SHIFT = 16;
  private static final int KIND_MASK = (1 << MARK_SHIFT) - 1;

  private int maxBytes = MAX_BYTES;
  private int countedBytes;

  private final UnsafeBuffer ring = new UnsafeBuffer(0, 0);
  private int ringEnd;

  // A ring of entries; a power of two of them.
  private int[] entries = NO_ENTRIES;
  private int newest;
  private int count;

  int count() {
    return count;
  }

  /** The bytes of the heap that the table takes, without the headers of its objects. */
  int heapBytes() {
    return ring.capacity() + entries.length * Integer.BYTES;
  }

  /** Makes the table that large, from 0 to 4,096 bytes; the oldest entries make room. */
  void resize(int bytes) {
    maxBytes = bytes;
    evictTo(bytes);
  }

  /**
   * Adds a field, as the newest. The oldest ones make room; one that is larger than the table
   * leaves it empty.
   */
  void add(
      int kind,
      int mark,
      MutableDirectBuffer from,
      int nameOffset,
      int nameLength,
      int valueOffset,
      int valueLength) {
    final int counted = nameLength + valueLength + FieldBlock.FIELD_OVERHEAD_BYTES;
    evictTo(maxBytes - counted);
    if (counted > maxBytes) {
      return;
    }
    if (count * INTS_PER_ENTRY == entries.length) {
      growEntries();
    }
    final int length = ringBytes(nameLength, valueLength);
    final int offset = room(length);
    WordCopy.copy(from, nameOffset, ring, offset, nameLength);
    WordCopy.copy(from, valueOffset, ring, offset + nameLength, valueLength);
    newest = newest + 1 & entries.length / INTS_PER_ENTRY - 1;
    final int at = newest * INTS_PER_ENTRY;
    entries[at + OFFSET] = offset;
    entries[at + NAME_LENGTH] = nameLength;
    entries[at + VALUE_LENGTH] = valueLength;
    entries[at + KIND_AND_MARK] = kind | mark << MARK_SHIFT;
    count++;
    countedBytes += counted;
    ringEnd = offset + length;
  }

  /** An entry without a byte takes one, so that no two begin at the same place. */
  private static int ringBytes(int nameLength, int valueLength) {
    return Math.max(1, nameLength + valueLength);
  }

  private void evictTo(int bytes) {
    while (countedBytes > bytes && count > 0) {
      final int oldest = entry(count - 1);
      countedBytes -=
          entries[oldest + NAME_LENGTH]
              + entries[oldest + VALUE_LENGTH]
              + FieldBlock.FIELD_OVERHEAD_BYTES;
      count--;
    }
  }

  /** An offset at which so many bytes are free, behind the newest entry or at the start. */
  private int room(int length) {
    if (count == 0) {
      ringEnd = 0;
    }
    final int oldest = count == 0 ? 0 : entries[entry(count - 1) + OFFSET];
    final boolean wrapped = count > 0 && entries[entry(0) + OFFSET] < oldest;
    if (wrapped ? ringEnd + length <= oldest : ringEnd + length <= ring.capacity()) {
      return ringEnd;
    }
    if (!wrapped && length <= oldest) {
      return 0;
    }
    growRing(length);
    return ringEnd;
  }

  /** A larger ring, with the entries in it from the start on, in the order of their age. */
  private void growRing(int length) {
    int bytes = Math.max(FIRST_RING_BYTES, ring.capacity());
    while (bytes < 2 * (countedBytes + length) && bytes < 2 * MAX_BYTES) {
      bytes *= 2;
    }
    final byte[] grown = new byte[bytes];
    int end = 0;
    for (int i = count - 1; i >= 0; i--) {
      final int at = entry(i);
      final int entryBytes = ringBytes(entries[at + NAME_LENGTH], entries[at + VALUE_LENGTH]);
      ring.getBytes(entries[at + OFFSET], grown, end, entryBytes);
      entries[at + OFFSET] = end;
      end += entryBytes;
    }
    ring.wrap(grown);
    ringEnd = end;
  }

  private void growEntries() {
    final int grownCount = Math.max(FIRST_ENTRIES, 2 * entries.length / INTS_PER_ENTRY);
    final int[] grown = new int[grownCount * INTS_PER_ENTRY];
    for (int i = 0; i < count; i++) {
      System.arraycopy(entries, entry(i), grown, (count - 1 - i) * INTS_PER_ENTRY, INTS_PER_ENTRY);
    }
    entries = grown;
    newest = count == 0 ? grownCount - 1 : count - 1;
  }

  /** The place of an entry until another is added; 0 is the newest. */
  int entry(int index) {
    return (newest - index & entries.length / INTS_PER_ENTRY - 1) * INTS_PER_ENTRY;
  }

  /** The {@link FieldKind} of an {@link #entry}. */
  int kind(int entry) {
    return entries[entry + KIND_AND_MARK] & KIND_MASK;
  }

  /** The {@link FieldBlock#mark} of an {@link #entry}. */
  int mark(int entry) {
    return entries[entry + KIND_AND_MARK] >>> MARK_SHIFT;
  }

  int nameLength(int entry) {
    return entries[entry + NAME_LENGTH];
  }

  int valueLength(int entry) {
    return entries[entry + VALUE_LENGTH];
  }

  /** Copies a field's name. */
  void copyName(int entry, MutableDirectBuffer to, int toOffset) {
    WordCopy.copy(ring, entries[entry + OFFSET], to, toOffset, entries[entry + NAME_LENGTH]);
  }

  /** Copies a field's value. */
  void copyValue(int entry, MutableDirectBuffer to, int toOffset) {
    final int valueOffset = entries[entry + OFFSET] + entries[entry + NAME_LENGTH];
    WordCopy.copy(ring, valueOffset, to, toOffset, entries[entry + VALUE_LENGTH]);
  }
}
