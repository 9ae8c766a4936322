package dev.weir.proxy.http2.hpack;

import io.netty.buffer.ByteBuf;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Decodes the field blocks of one connection (RFC 7541), each into a {@link FieldBlock}. Every
 * block must be decoded, in the order in which they come. Allocates nothing but the dynamic table,
 * as it grows.
 */
public final class FieldDecoder {
  /** The outcome of decoding a block. */
  public enum Outcome {
    DECODED,

    /** The block is none of HPACK's: no further block of the connection can be decoded. */
    MALFORMED,

    /** The block has twice of what it may have, and was decoded no further: nor can others be. */
    EXCESSIVE
  }

  private static final int INDEXED = 0x80;
  private static final int INSERTED = 0x40;
  private static final int SIZE_UPDATE = 0x20;
  private static final int NEVER_INDEXED = 0x10;
  private static final int HUFFMAN = 0x80;

  private static final int MAX_TABLE_BYTES = DynamicTable.MAX_BYTES;
  private static final int MAX_CONTINUATION_BYTES = 4;

  private final DynamicTable table = new DynamicTable();
  private final UnsafeBuffer wire = new UnsafeBuffer(0, 0);

  private final boolean endsAttacks;

  // Where the block is being read, and what the last name came to.
  private int at;
  private int end;
  private int nameOffset;
  private int nameLength;

  /** Decodes the blocks of a peer that may be an attacker. */
  public FieldDecoder() {
    this(true);
  }

  /**
   * @param endsAttacks whether a block that has twice of what it may have is decoded no further.
   */
  public FieldDecoder(boolean endsAttacks) {
    this.endsAttacks = endsAttacks;
  }

  /**
   * Decodes a block.
   *
   * @param in has it in the {@code bytes} from {@code offset} on, wherever its indices are.
   * @param block is cleared, and filled.
   */
  public Outcome decode(ByteBuf in, int offset, int bytes, FieldBlock block) {
    block.clear();
    wrap(in, offset, bytes);
    at = 0;
    end = bytes;
    if (!sizeUpdates()) {
      return Outcome.MALFORMED;
    }
    while (at < end) {
      if (!field(block)) {
        return Outcome.MALFORMED;
      }
      if (endsAttacks && block.isAttack()) {
        return Outcome.EXCESSIVE;
      }
    }
    return Outcome.DECODED;
  }

  /** The bytes of the heap that the dynamic table takes. */
  int heapBytes() {
    return table.heapBytes();
  }

  private void wrap(ByteBuf in, int offset, int bytes) {
    if (in.hasMemoryAddress()) {
      wire.wrap(in.memoryAddress() + offset, bytes);
    } else if (in.hasArray()) {
      wire.wrap(in.array(), in.arrayOffset() + offset, bytes);
    } else {
      wire.wrap(in.nioBuffer(offset, bytes));
    }
  }

  /** The table's size may change before the first field only. */
  private boolean sizeUpdates() {
    while (at < end && (wire.getByte(at) & 0xe0) == SIZE_UPDATE) {
      final int bytes = number(0x1f);
      if (bytes < 0 || bytes > MAX_TABLE_BYTES) {
        return false;
      }
      table.resize(bytes);
    }
    return true;
  }

  private boolean field(FieldBlock block) {
    final int first = wire.getByte(at) & 0xff;
    if ((first & INDEXED) != 0) {
      return indexed(number(0x7f), block);
    }
    if ((first & INSERTED) != 0) {
      return literal(number(0x3f), true, false, block);
    }
    return (first & SIZE_UPDATE) == 0
        && literal(number(0x0f), false, (first & NEVER_INDEXED) != 0, block);
  }

  private boolean indexed(int index, FieldBlock block) {
    if (index <= 0) {
      return false;
    }
    if (index <= StaticTable.size()) {
      final int kind = KnownFields.staticKind(index);
      block.add(
          kind,
          KnownFields.nameOffset(kind),
          KnownFields.nameLength(kind),
          KnownFields.staticValueOffset(index),
          KnownFields.staticValueLength(index),
          KnownFields.staticMark(index),
          0);
      return true;
    }
    final int dynamic = index - StaticTable.size() - 1;
    if (dynamic >= table.count()) {
      return false;
    }
    final int entry = table.entry(dynamic);
    final int kind = table.kind(entry);
    final int nameBytes = entryName(entry, kind, block);
    final int valueOffset = block.end() + nameBytes;
    final int valueLength = table.valueLength(entry);
    table.copyValue(entry, block.memory(), valueOffset);
    block.add(
        kind,
        nameOffset,
        nameLength,
        valueOffset,
        valueLength,
        table.mark(entry),
        nameBytes + valueLength);
    return true;
  }

  /**
   * Finds the name of a dynamic entry, which is copied if it is not among the known ones.
   *
   * @return how many bytes were copied.
   */
  private int entryName(int entry, int kind, FieldBlock block) {
    nameLength = table.nameLength(entry);
    if (isKnown(kind)) {
      nameOffset = KnownFields.nameOffset(kind);
      return 0;
    }
    nameOffset = block.end();
    table.copyName(entry, block.memory(), nameOffset);
    return nameLength;
  }

  private static boolean isKnown(int kind) {
    return kind != FieldKind.UNKNOWN && kind != FieldKind.X_ENVOY;
  }

  /**
   * @param index of a field with the same name; 0 if the name is spelled, negative if malformed.
   */
  private boolean literal(int index, boolean inserted, boolean neverIndexed, FieldBlock block) {
    int kind;
    int nameBytes = 0;
    if (index < 0) {
      return false;
    }
    if (index == 0) {
      nameLength = string(block, block.end());
      if (nameLength < 0) {
        return false;
      }
      kind = KnownFields.kind(block.memory(), block.end(), nameLength);
      if (isKnown(kind)) {
        nameOffset = KnownFields.nameOffset(kind);
      } else {
        nameOffset = block.end();
        nameBytes = nameLength;
      }
    } else if (index <= StaticTable.size()) {
      kind = KnownFields.staticKind(index);
      nameOffset = KnownFields.nameOffset(kind);
      nameLength = KnownFields.nameLength(kind);
    } else {
      final int dynamic = index - StaticTable.size() - 1;
      if (dynamic >= table.count()) {
        return false;
      }
      final int entry = table.entry(dynamic);
      kind = table.kind(entry);
      nameBytes = entryName(entry, kind, block);
    }
    final int valueOffset = block.end() + nameBytes;
    final int valueLength = string(block, valueOffset);
    if (valueLength < 0) {
      return false;
    }
    final int mark =
        FieldBlock.mark(
            block.memory(), kind, nameOffset, nameLength, valueOffset, valueLength, neverIndexed);
    if (inserted) {
      table.add(kind, mark, block.memory(), nameOffset, nameLength, valueOffset, valueLength);
    }
    block.add(
        kind, nameOffset, nameLength, valueOffset, valueLength, mark, nameBytes + valueLength);
    return true;
  }

  /**
   * Decodes a string to an offset of the block; returns its length, or {@link Huffman#MALFORMED}.
   */
  private int string(FieldBlock block, int toOffset) {
    if (at >= end) {
      return Huffman.MALFORMED;
    }
    final boolean huffman = (wire.getByte(at) & HUFFMAN) != 0;
    final int length = number(0x7f);
    if (length < 0 || length > end - at) {
      return Huffman.MALFORMED;
    }
    final int offset = at;
    at += length;
    if (huffman) {
      return Huffman.decode(wire, offset, length, block.memory(), toOffset);
    }
    WordCopy.copy(wire, offset, block.memory(), toOffset, length);
    return length;
  }

  /**
   * Reads a number whose first byte has some of it in its low bits (RFC 7541, section 5.1).
   *
   * @return from 0 to 2^28 + 126; {@link Huffman#MALFORMED} if it is longer or cut off.
   */
  private int number(int mask) {
    int number = wire.getByte(at++) & mask;
    if (number < mask) {
      return number;
    }
    for (int i = 0; i < MAX_CONTINUATION_BYTES; i++) {
      if (at >= end) {
        return Huffman.MALFORMED;
      }
      final int more = wire.getByte(at++);
      number += (more & 0x7f) << 7 * i;
      if (more >= 0) {
        return number;
      }
    }
    return Huffman.MALFORMED;
  }
}
