package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes fields of HPACK (RFC 7541) straight into an output: names and whole fields of the static
 * table, and literals without Huffman coding. Neither uses nor changes a dynamic table, so that the
 * same bytes mean the same on every connection and at any time. Not thread-safe.
 */
public final class FieldEncoder {
  /** The most bytes that a field takes beside its name and value. */
  public static final int FIELD_OVERHEAD_BYTES = 1 + 5 + 5;

  private static final int INDEXED = 0x80;
  private static final int INDEXED_MASK = 0x7f;
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

  private final UnsafeBuffer target = new UnsafeBuffer(0, 0);

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
        out.writeByte(NOT_INDEXED | STATUS_NAME).writeByte(STATUS_DIGITS);
        out.writeByte('0' + status / 100)
            .writeByte('0' + status / 10 % 10)
            .writeByte('0' + status % 10);
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
    name(out, kind, neverIndexed);
    number(out, 0, LENGTH_MASK, length);
    copy(out, from, offset, length);
  }

  /** A field with a known name, whose value is not a secret. */
  public void field(ByteBuf out, int kind, byte[] value) {
    name(out, kind, FieldKind.isSecret(kind));
    number(out, 0, LENGTH_MASK, value.length);
    out.writeBytes(value);
  }

  /**
   * A field with a known name and a number.
   *
   * @param value 0 or more.
   */
  public void field(ByteBuf out, int kind, long value) {
    name(out, kind, false);
    int digits = 1;
    for (long rest = value; rest >= 10; rest /= 10) {
      digits++;
    }
    out.writeByte(digits);
    final int end = out.writerIndex() + digits;
    out.ensureWritable(digits).writerIndex(end);
    long rest = value;
    for (int at = end - 1; at >= end - digits; at--) {
      out.setByte(at, '0' + (int) (rest % 10));
      rest /= 10;
    }
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
    out.writeByte(neverIndexed ? NEVER_INDEXED : NOT_INDEXED);
    number(out, 0, LENGTH_MASK, nameLength);
    for (int i = nameOffset; i < nameOffset + nameLength; i++) {
      final byte b = from.getByte(i);
      out.writeByte(b >= 'A' && b <= 'Z' ? b | 0x20 : b);
    }
    number(out, 0, LENGTH_MASK, valueLength);
    copy(out, from, valueOffset, valueLength);
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
    name(out, kind, FieldKind.isSecret(kind));
    number(out, 0, LENGTH_MASK, valueLength);
  }

  /** The name of a field, and how it is coded; the length of the value and the value follow. */
  private static void name(ByteBuf out, int kind, boolean neverIndexed) {
    final int index = NAME_INDICES[kind];
    number(out, neverIndexed ? NEVER_INDEXED : NOT_INDEXED, LITERAL_MASK, index);
    if (index == StaticTable.NONE) {
      final byte[] name = FieldKind.bytes(kind);
      out.writeByte(name.length).writeBytes(name);
    }
  }

  /** RFC 7541, section 5.1. */
  private static void number(ByteBuf out, int pattern, int mask, int number) {
    if (number < mask) {
      out.writeByte(pattern | number);
      return;
    }
    out.writeByte(pattern | mask);
    int rest = number - mask;
    for (; rest > 0x7f; rest >>>= 7) {
      out.writeByte(rest & 0x7f | 0x80);
    }
    out.writeByte(rest);
  }

  private void copy(ByteBuf out, DirectBuffer from, int offset, int length) {
    if (length == 0) {
      return;
    }
    out.ensureWritable(length);
    final int at = out.writerIndex();
    if (out.hasMemoryAddress()) {
      target.wrap(out.memoryAddress() + at, length);
      from.getBytes(offset, target, 0, length);
    } else {
      for (int i = 0; i < length; i++) {
        out.setByte(at + i, from.getByte(offset + i));
      }
    }
    out.writerIndex(at + length);
  }
}
