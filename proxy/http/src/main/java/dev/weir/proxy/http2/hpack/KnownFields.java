package dev.weir.proxy.http2.hpack;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * The bytes that every {@link FieldBlock} begins with: the known names, and the values of the
 * static table, so that a field with one of those is offsets and no copy. Also finds a name among
 * the known ones.
 */
final class KnownFields {
  static final int BYTES;

  private static final byte[] ALL;
  private static final int[] NAME_OFFSETS = new int[FieldKind.COUNT];

  // By index of the static table.
  private static final int[] KINDS = new int[StaticTable.size() + 1];
  private static final int[] VALUE_OFFSETS = new int[StaticTable.size() + 1];
  private static final int[] VALUE_LENGTHS = new int[StaticTable.size() + 1];

  private static final byte[] MARKS = new byte[StaticTable.size() + 1];

  private static final int SLOTS = 512;
  private static final byte[] KIND_BY_HASH = new byte[SLOTS];
  private static final byte[] ENVOY = FieldKind.bytes(FieldKind.X_ENVOY);

  static {
    final StringBuilder all = new StringBuilder();
    for (int kind = 1; kind < FieldKind.COUNT; kind++) {
      NAME_OFFSETS[kind] = all.length();
      all.append(FieldKind.name(kind));
      addName(kind);
    }
    for (int index = 1; index <= StaticTable.size(); index++) {
      KINDS[index] = kind(StaticTable.nameAt(index));
      VALUE_OFFSETS[index] = all.length();
      VALUE_LENGTHS[index] = StaticTable.valueAt(index).length();
      MARKS[index] =
          (byte) (FieldKind.isConnectionSpecific(KINDS[index]) ? FieldBlock.MALFORMED : 0);
      all.append(StaticTable.valueAt(index));
    }
    ALL = all.toString().getBytes(StandardCharsets.US_ASCII);
    BYTES = ALL.length;
  }

  private KnownFields() {}

  private static void addName(int kind) {
    final byte[] name = FieldKind.bytes(kind);
    int slot = hash(name.length, name[0], name[name.length / 2], name[name.length - 1]);
    while (KIND_BY_HASH[slot] != FieldKind.UNKNOWN) {
      slot = slot + 1 & SLOTS - 1;
    }
    KIND_BY_HASH[slot] = (byte) kind;
  }

  private static int kind(String name) {
    for (int kind = 1; kind < FieldKind.COUNT; kind++) {
      if (FieldKind.name(kind).equals(name)) {
        return kind;
      }
    }
    throw new AssertionError(name + " of the static table has no kind");
  }

  private static int hash(int length, byte first, byte middle, byte last) {
    return (length * 0x1f + first * 0x65 + middle * 0x1d + last * 0x0b) & SLOTS - 1;
  }

  /** Copies the bytes to the beginning of {@code block}. */
  static void writeTo(MutableDirectBuffer block) {
    block.putBytes(0, ALL);
  }

  static int nameOffset(int kind) {
    return NAME_OFFSETS[kind];
  }

  static int nameLength(int kind) {
    return FieldKind.bytes(kind).length;
  }

  /** The kind of a field of the static table, by its index. */
  static int staticKind(int index) {
    return KINDS[index];
  }

  static int staticValueOffset(int index) {
    return VALUE_OFFSETS[index];
  }

  static int staticValueLength(int index) {
    return VALUE_LENGTHS[index];
  }

  /** The {@link FieldBlock#mark} of a field of the static table as it stands. */
  static int staticMark(int index) {
    return MARKS[index];
  }

  /** The kind of a name, which is in lower case if it is known. */
  static int kind(DirectBuffer bytes, int offset, int length) {
    if (length == 0) {
      return FieldKind.UNKNOWN;
    }
    int slot =
        hash(
            length,
            bytes.getByte(offset),
            bytes.getByte(offset + length / 2),
            bytes.getByte(offset + length - 1));
    while (KIND_BY_HASH[slot] != FieldKind.UNKNOWN) {
      final int kind = KIND_BY_HASH[slot];
      final byte[] name = FieldKind.bytes(kind);
      if (Ascii.equals(bytes, offset, length, name)) {
        return kind;
      }
      slot = slot + 1 & SLOTS - 1;
    }
    return length > ENVOY.length && Ascii.equals(bytes, offset, ENVOY.length, ENVOY)
        ? FieldKind.X_ENVOY
        : FieldKind.UNKNOWN;
  }
}
