package dev.weir.proxy.http2.hpack;

import io.netty.buffer.ByteBuf;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes fields of HPACK (RFC 7541) straight into an output: names and whole fields of the static
 * table, and literals without Huffman coding. Neither uses nor changes a dynamic table, so that the
 * same bytes mean the same on every connection and at any time. Not thread-safe.
 *
 * <p>A field's bounds are checked once, and its bytes then written to memory: an output checks for
 * each byte that it is not released and has room.
 */
public final class FieldEncoder {
  /** The most bytes that a field takes beside its name and value. */
  public static final int FIELD_OVERHEAD_BYTES = 1 + 5 + 5;

  private static final int INDEXED = 0x80;
  private static final int NOT_INDEXED = 0x00;
  private static final int NEVER_INDEXED = 0x10;
  private static final int LITERAL_MASK = 0x0f;
  private static final int LENGTH_MASK = 0x7f;

  private static final int STATUS_NAME = StaticTable.name(":status");
  private static final int STATUS_DIGITS = 3;
  private static final int[] NAME_INDICES = new int[FieldKind.COUNT];

  static {
    for (int kind = 1; kind < FieldKind.COUNT; kind++) {
      NAME_INDICES[kind] = StaticTable.name(FieldKind.name(kind));
    }
  }

  /** Up to this length bytes are copied one by one, which costs less than a call. */
  private static final int MAX_LOOPED_BYTES = 32;

  private final UnsafeBuffer room = new UnsafeBuffer(0, 0);
  private int at;

  /** A response's {@code :status}, from 100 to 999. */
  public void status(ByteBuf out, int status) {
    switch (status) {
      case 200 -> indexed(out, 8);
      case 204 -> indexed(out, 9);
      case 206 -> indexed(out, 10);
      case 304 -> indexed(out, 11);
      case 400 -> indexed(out, 12);
      case 404 -> indexed(out, 13);
      case 500 -> indexed(out, 14);
      default -> {
        open(out, 2 + STATUS_DIGITS);
        put(NOT_INDEXED | STATUS_NAME);
        put(STATUS_DIGITS);
        put('0' + status / 100);
        put('0' + status / 10 % 10);
        put('0' + status % 10);
        close(out);
      }
    }
  }

  /**
   * A whole field of the static table.
   *
   * @param index from 1 to 61.
   */
  public void indexed(ByteBuf out, int index) {
    out.writeByte(INDEXED | index);
  }

  /**
   * A field with a known name.
   *
   * @param kind of {@link FieldKind}, but for those that are no one name.
   * @param from has the value at {@code offset}.
   * @param neverIndexed whether no hop may keep it in a table.
   */
  public void field(
      ByteBuf out, int kind, DirectBuffer from, int offset, int length, boolean neverIndexed) {
    open(out, kind, length);
    name(kind, neverIndexed);
    number(0, LENGTH_MASK, length);
    copy(from, offset, length);
    close(out);
  }

  /** A field with a known name, whose value is not a secret. */
  public void field(ByteBuf out, int kind, byte[] value) {
    open(out, kind, value.length);
    name(kind, FieldKind.isSecret(kind));
    number(0, LENGTH_MASK, value.length);
    copy(value);
    close(out);
  }

  /**
   * A field with a known name and a number.
   *
   * @param value 0 or more.
   */
  public void field(ByteBuf out, int kind, long value) {
    int digits = 1;
    for (long rest = value; rest >= 10; rest /= 10) {
      digits++;
    }
    open(out, kind, digits);
    name(kind, false);
    put(digits);
    long rest = value;
    for (int i = at + digits - 1; i >= at; i--) {
      room.putByte(i, (byte) ('0' + rest % 10));
      rest /= 10;
    }
    at += digits;
    close(out);
  }

  /**
   * A field by its name and value, where they are.
   *
   * @param from has the name, in any case, and the value.
   * @param neverIndexed whether no hop may keep it in a table.
   */
  public void field(
      ByteBuf out,
      DirectBuffer from,
      int nameOffset,
      int nameLength,
      int valueOffset,
      int valueLength,
      boolean neverIndexed) {
    open(out, FIELD_OVERHEAD_BYTES + nameLength + valueLength);
    put(neverIndexed ? NEVER_INDEXED : NOT_INDEXED);
    number(0, LENGTH_MASK, nameLength);
    for (int i = nameOffset; i < nameOffset + nameLength; i++) {
      final byte b = from.getByte(i);
      put(b >= 'A' && b <= 'Z' ? b | 0x20 : b);
    }
    number(0, LENGTH_MASK, valueLength);
    copy(from, valueOffset, valueLength);
    close(out);
  }

  /**
   * A field by its name and value.
   *
   * @param index of a field of the static table with that name, or {@link StaticTable#NONE}.
   */
  void literal(ByteBuf out, int index, byte[] name, byte[] value) {
    open(out, FIELD_OVERHEAD_BYTES + name.length + value.length);
    number(NOT_INDEXED, LITERAL_MASK, index);
    if (index == StaticTable.NONE) {
      number(0, LENGTH_MASK, name.length);
      copy(name);
    }
    number(0, LENGTH_MASK, value.length);
    copy(value);
    close(out);
  }

  /**
   * A field by its name and value.
   *
   * @param name in lower case.
   * @param from has the value in its first bytes.
   */
  public void field(ByteBuf out, byte[] name, byte[] from, int valueLength) {
    open(out, FIELD_OVERHEAD_BYTES + name.length + valueLength);
    put(NOT_INDEXED);
    number(0, LENGTH_MASK, name.length);
    copy(name);
    number(0, LENGTH_MASK, valueLength);
    room.putBytes(at, from, 0, valueLength);
    at += valueLength;
    close(out);
  }

  /**
   * A field of a block that was decoded, as it came: with its name's index, and never indexed if it
   * was never to be or is a secret.
   */
  public void field(ByteBuf out, FieldBlock block, int field) {
    final int kind = block.kind(field);
    final boolean neverIndexed = block.neverIndexed(field) || FieldKind.isSecret(kind);
    if (kind == FieldKind.UNKNOWN || kind == FieldKind.X_ENVOY) {
      field(
          out,
          block.bytes(),
          block.nameOffset(field),
          block.nameLength(field),
          block.valueOffset(field),
          block.valueLength(field),
          neverIndexed);
    } else {
      field(
          out,
          kind,
          block.bytes(),
          block.valueOffset(field),
          block.valueLength(field),
          neverIndexed);
    }
  }

  /**
   * The beginning of a field with a known name, whose value the caller appends.
   *
   * @param valueLength of the bytes that follow.
   */
  public void begin(ByteBuf out, int kind, int valueLength) {
    open(out, kind, valueLength);
    name(kind, FieldKind.isSecret(kind));
    number(0, LENGTH_MASK, valueLength);
    close(out);
  }

  /** Appends to a value that was begun. */
  public void append(ByteBuf out, DirectBuffer from, int offset, int length) {
    open(out, length);
    copy(from, offset, length);
    close(out);
  }

  private void open(ByteBuf out, int kind, int valueLength) {
    open(out, FIELD_OVERHEAD_BYTES + FieldKind.bytes(kind).length + valueLength);
  }

  /** Begins to write behind what an output has, that many bytes at most. */
  private void open(ByteBuf out, int mostBytes) {
    out.ensureWritable(mostBytes);
    final int from = out.writerIndex();
    if (out.hasMemoryAddress()) {
      room.wrap(out.memoryAddress() + from, mostBytes);
    } else if (out.hasArray()) {
      room.wrap(out.array(), out.arrayOffset() + from, mostBytes);
    } else {
      room.wrap(out.nioBuffer(from, mostBytes));
    }
    at = 0;
  }

  private void close(ByteBuf out) {
    out.writerIndex(out.writerIndex() + at);
  }

  private void put(int b) {
    room.putByte(at++, (byte) b);
  }

  /** The name of a field, and how it is coded; the length of the value and the value follow. */
  private void name(int kind, boolean neverIndexed) {
    final int index = NAME_INDICES[kind];
    number(neverIndexed ? NEVER_INDEXED : NOT_INDEXED, LITERAL_MASK, index);
    if (index == StaticTable.NONE) {
      final byte[] name = FieldKind.bytes(kind);
      put(name.length);
      copy(name);
    }
  }

  /** RFC 7541, section 5.1. */
  private void number(int pattern, int mask, int number) {
    if (number < mask) {
      put(pattern | number);
      return;
    }
    put(pattern | mask);
    int rest = number - mask;
    for (; rest > 0x7f; rest >>>= 7) {
      put(rest & 0x7f | 0x80);
    }
    put(rest);
  }

  private void copy(byte[] from) {
    room.putBytes(at, from);
    at += from.length;
  }

  private void copy(DirectBuffer from, int offset, int length) {
    if (length > MAX_LOOPED_BYTES) {
      room.putBytes(at, from, offset, length);
    } else {
      for (int i = 0; i < length; i++) {
        room.putByte(at + i, from.getByte(offset + i));
      }
    }
    at += length;
  }
}
