package dev.weir.bench.load;

import dev.weir.bench.load.FieldLines.FieldLine;
import dev.weir.proxy.http2.Setting;
import java.util.Arrays;

/**
 * Encodes the fields of one connection's requests as clients do (RFC 7541): what was sent before is
 * named by its place in the dynamic table, as long as it is there; all else is a literal, which
 * enters it. Values that differ from one request to the next enter too, and move all others, as
 * clients have it that know nothing of what will come again. Used by its event loop alone.
 */
final class FieldTable {
  private static final int FIRST_DYNAMIC = 62;
  private static final int MOST_ENTRIES = 128; // of 32 bytes or more each
  private static final int SLOTS = 256;
  private static final int NAME_SLOTS = 64;
  private static final long NONE = -1;

  private static final int INDEXED = 0x80;
  private static final int INDEXED_BITS = 7;
  private static final int INSERTED = 0x40;
  private static final int INSERTED_BITS = 6;
  private static final int NOT_INDEXED = 0x00;
  private static final int NOT_INDEXED_BITS = 4;
  private static final int SIZE_UPDATE = 0x20;
  private static final int SIZE_UPDATE_BITS = 5;

  /** Entries by the number of their insertion; an evicted one stays until it is overwritten. */
  private final FieldLine[] entries = new FieldLine[MOST_ENTRIES];

  // The last insertion of what has that hash: looked at again before it is believed.
  private final long[] slots = new long[SLOTS];
  private final long[] nameSlots = new long[NAME_SLOTS];

  private byte[] block = new byte[512];
  private int blockBytes;
  private int maxBytes = Setting.DEFAULT_HEADER_TABLE_BYTES;
  private int leastMaxBytes = maxBytes;
  private boolean resized;
  private int tableBytes;
  private long insertedCount;
  private long evictedCount;
  private int requestCount;

  FieldTable() {
    Arrays.fill(slots, NONE);
    Arrays.fill(nameSlots, NONE);
  }

  /** The peer's table has so many bytes, of which no more are used than are usual. */
  void resize(long bytes) {
    final int now = (int) Math.min(bytes, Setting.DEFAULT_HEADER_TABLE_BYTES);
    if (now == maxBytes) {
      return;
    }
    leastMaxBytes = resized ? Math.min(leastMaxBytes, now) : now;
    maxBytes = now;
    resized = true;
    evict(maxBytes);
  }

  /** Encodes a request's fields in place of those of the request before. */
  void encode(Request request) {
    blockBytes = 0;
    if (resized) {
      resized = false;
      if (leastMaxBytes < maxBytes) {
        number(SIZE_UPDATE, SIZE_UPDATE_BITS, leastMaxBytes);
      }
      number(SIZE_UPDATE, SIZE_UPDATE_BITS, maxBytes);
    }
    for (FieldLine[] values : request.fields()) {
      add(values.length == 1 ? values[0] : values[requestCount & values.length - 1]);
    }
    requestCount++;
  }

  /** The block, in the first {@link #blockBytes} of it; valid until the next one is encoded. */
  byte[] block() {
    return block;
  }

  int blockBytes() {
    return blockBytes;
  }

  private void add(FieldLine line) {
    if (line.indexed() != null) {
      put(line.indexed());
      return;
    }
    final int slot = line.hash() & SLOTS - 1;
    final long at = slots[slot];
    if (holds(at) && entry(at) == line) {
      number(INDEXED, INDEXED_BITS, index(at));
      return;
    }
    final FieldLine.Name name = line.name();
    final int nameSlot = name.text().hashCode() & NAME_SLOTS - 1;
    final long nameAt = nameSlots[nameSlot];
    int nameIndex = name.staticIndex();
    if (nameIndex == 0 && holds(nameAt) && entry(nameAt).name() == name) {
      nameIndex = index(nameAt);
    }
    final boolean inserted = line.tableBytes() <= maxBytes;
    if (inserted) {
      number(INSERTED, INSERTED_BITS, nameIndex);
    } else {
      number(NOT_INDEXED, NOT_INDEXED_BITS, nameIndex);
    }
    if (nameIndex == 0) {
      put(name.literal());
    }
    put(line.value());
    if (inserted) {
      evict(maxBytes - line.tableBytes());
      entries[(int) insertedCount & MOST_ENTRIES - 1] = line;
      slots[slot] = insertedCount;
      nameSlots[nameSlot] = insertedCount;
      tableBytes += line.tableBytes();
      insertedCount++;
    }
  }

  private boolean holds(long insertion) {
    return insertion >= evictedCount; // never of NONE
  }

  private FieldLine entry(long insertion) {
    return entries[(int) insertion & MOST_ENTRIES - 1];
  }

  private int index(long insertion) {
    return FIRST_DYNAMIC + (int) (insertedCount - 1 - insertion);
  }

  private void evict(int untilBytes) {
    while (tableBytes > untilBytes) {
      tableBytes -= entry(evictedCount).tableBytes();
      evictedCount++;
    }
  }

  private void number(int pattern, int bits, int number) {
    final int prefix = (1 << bits) - 1;
    room(6);
    if (number < prefix) {
      block[blockBytes++] = (byte) (pattern | number);
      return;
    }
    block[blockBytes++] = (byte) (pattern | prefix);
    int rest = number - prefix;
    for (; rest > 0x7f; rest >>>= 7) {
      block[blockBytes++] = (byte) (rest | 0x80);
    }
    block[blockBytes++] = (byte) rest;
  }

  private void put(byte[] bytes) {
    room(bytes.length);
    System.arraycopy(bytes, 0, block, blockBytes, bytes.length);
    blockBytes += bytes.length;
  }

  private void room(int bytes) {
    if (block.length - blockBytes < bytes) {
      block = Arrays.copyOf(block, Math.max(2 * block.length, blockBytes + bytes));
    }
  }
}
