package dev.weir.proxy.http2.hpack;

import dev.weir.proxy.request.Ascii;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The fields of one block, decoded, as offsets into one buffer. That begins with the known names
 * and the values of HPACK's static table, so that such a field copies nothing; all else is copied
 * behind. One per event loop, refilled by each {@link FieldDecoder#decode}; nothing of it may be
 * kept beyond the call that it was handed to.
 *
 * <p>A block that is too large is decoded on, as the table behind it must be, but nothing more is
 * kept.
 */
public final class FieldBlock {
  /** The bytes that each field counts beside its own (RFC 9113, section 10.5.1). */
  static final int FIELD_OVERHEAD_BYTES = 32;

  /** The offset of a GET, which every block has, whatever its fields are. */
  public static final int GET_OFFSET = KnownFields.staticValueOffset(StaticTable.METHOD_GET);

  public static final int GET_BYTES = KnownFields.staticValueLength(StaticTable.METHOD_GET);

  private static final int MALFORMED_NAME = 1;
  private static final int MALFORMED_VALUE = 2;
  private static final int NEVER_INDEXED = 4;

  /** The marks of a field that no message may have. */
  static final int MALFORMED = MALFORMED_NAME | MALFORMED_VALUE;

  private static final int INTS_PER_FIELD = 6;
  private static final int KIND = 0;
  private static final int NAME_OFFSET = 1;
  private static final int NAME_LENGTH = 2;
  private static final int VALUE_OFFSET = 3;
  private static final int VALUE_LENGTH = 4;
  private static final int MARKS = 5;

  private final int maxListBytes;
  private final int maxFields;
  private final UnsafeBuffer bytes;

  /** Six of each field, together: what is looked at of one lies near. */
  private final int[] fields;

  private int count;
  private int fieldsSeen;
  private long listBytes;
  private int usedBytes;
  private int pseudoKinds;
  private boolean regularSeen;
  private boolean malformed;

  /**
   * @param maxListBytes of all names and values, and 32 for each field.
   * @param maxFields that a block may have.
   * @param maxBlockBytes of a block as it is sent.
   */
  public FieldBlock(int maxListBytes, int maxFields, int maxBlockBytes) {
    this.maxListBytes = maxListBytes;
    this.maxFields = maxFields;
    // Behind what is kept, one field is decoded before it is known whether it will be.
    final int oneFieldBytes = Huffman.maxDecodedBytes(maxBlockBytes) + 1 + DynamicTable.MAX_BYTES;
    bytes =
        new UnsafeBuffer(
            ByteBuffer.allocateDirect(KnownFields.BYTES + maxListBytes + oneFieldBytes));
    KnownFields.writeTo(bytes);
    fields = new int[INTS_PER_FIELD * maxFields];
  }

  /** The most bytes of all names and values, with 32 for each field. */
  public int maxListBytes() {
    return maxListBytes;
  }

  /** Starts with no fields. */
  void clear() {
    count = 0;
    fieldsSeen = 0;
    listBytes = 0;
    usedBytes = KnownFields.BYTES;
    pseudoKinds = 0;
    regularSeen = false;
    malformed = false;
  }

  /** The offset to which the next field may be decoded. */
  int end() {
    return usedBytes;
  }

  UnsafeBuffer memory() {
    return bytes;
  }

  /**
   * Adds a field, or counts it, if that makes too many.
   *
   * @param bytesUsed of it lie from {@link #end} on, and are kept if it is.
   */
  void add(
      int kind,
      int nameOffset,
      int nameLength,
      int valueOffset,
      int valueLength,
      int mark,
      int bytesUsed) {
    fieldsSeen++;
    listBytes += nameLength + valueLength + FIELD_OVERHEAD_BYTES;
    checkOrder(kind);
    malformed |= (mark & MALFORMED) != 0;
    if (tooLarge()) {
      return;
    }
    final int at = count * INTS_PER_FIELD;
    fields[at + KIND] = kind;
    fields[at + NAME_OFFSET] = nameOffset;
    fields[at + NAME_LENGTH] = nameLength;
    fields[at + VALUE_OFFSET] = valueOffset;
    fields[at + VALUE_LENGTH] = valueLength;
    fields[at + MARKS] = mark;
    count++;
    usedBytes += bytesUsed;
  }

  /** Pseudo fields stand first, and once each. */
  private void checkOrder(int kind) {
    if (!FieldKind.isPseudo(kind)) {
      regularSeen = true;
      return;
    }
    malformed |= regularSeen || (pseudoKinds & 1 << kind) != 0;
    pseudoKinds |= 1 << kind;
  }

  /** The marks of a field: what is wrong with it, and whether it is never to be indexed. */
  static int mark(
      DirectBuffer in,
      int kind,
      int nameOffset,
      int nameLength,
      int valueOffset,
      int valueLength,
      boolean neverIndexed) {
    return (FieldSyntax.isMalformedName(kind, in, nameOffset, nameLength) ? MALFORMED_NAME : 0)
        | (FieldSyntax.isMalformedValue(kind, in, valueOffset, valueLength) ? MALFORMED_VALUE : 0)
        | (neverIndexed ? NEVER_INDEXED : 0);
  }

  /** The number of fields, pseudo fields included. */
  public int count() {
    return count;
  }

  /** The bytes of all names and values, and 32 for each field, kept or not. */
  public long listBytes() {
    return listBytes;
  }

  /** Whether it has more bytes or fields than may be: then the last ones are missing. */
  public boolean tooLarge() {
    return listBytes > maxListBytes || fieldsSeen > maxFields;
  }

  /** Whether it is so much too large that whoever sent it is an attacker. */
  boolean isAttack() {
    return listBytes > 2L * maxListBytes || fieldsSeen > 2 * maxFields;
  }

  /**
   * Whether no message may have these fields: a name that is no lower-case token, or that belongs
   * to a connection of HTTP/1.1; a value with a control character, or space around it; an unknown
   * pseudo field, or one twice, or one behind other fields; {@code te} but for {@code trailers}.
   */
  public boolean malformed() {
    return malformed;
  }

  /** Whether there is a pseudo field of that kind. */
  public boolean hasPseudo(int kind) {
    return (pseudoKinds & 1 << kind) != 0;
  }

  /** Whether there is any pseudo field: trailers have none. */
  public boolean hasPseudo() {
    return pseudoKinds != 0;
  }

  /** A {@link FieldKind}. */
  public int kind(int field) {
    return fields[field * INTS_PER_FIELD + KIND];
  }

  public int nameOffset(int field) {
    return fields[field * INTS_PER_FIELD + NAME_OFFSET];
  }

  public int nameLength(int field) {
    return fields[field * INTS_PER_FIELD + NAME_LENGTH];
  }

  public int valueOffset(int field) {
    return fields[field * INTS_PER_FIELD + VALUE_OFFSET];
  }

  public int valueLength(int field) {
    return fields[field * INTS_PER_FIELD + VALUE_LENGTH];
  }

  /** Whether whoever sent the field forbids to keep it in a table (RFC 7541, section 6.2.3). */
  public boolean neverIndexed(int field) {
    return (fields[field * INTS_PER_FIELD + MARKS] & NEVER_INDEXED) != 0;
  }

  /** The index of the first field of a kind, from {@code from} on; -1 if there is none. */
  public int find(int kind, int from) {
    for (int i = from; i < count; i++) {
      if (kind(i) == kind) {
        return i;
      }
    }
    return -1;
  }

  /** Whether a field's value is {@code text}, to the byte. */
  public boolean isValue(int field, byte[] text) {
    return Ascii.equals(bytes, valueOffset(field), valueLength(field), text);
  }

  /** Whether two fields have the same value, to the byte. */
  public boolean haveSameValue(int field, int other) {
    int length = valueLength(field);
    if (length != valueLength(other)) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (bytes.getByte(valueOffset(field) + i) != bytes.getByte(valueOffset(other) + i)) {
        return false;
      }
    }
    return true;
  }

  /** The bytes that all offsets point into. */
  public DirectBuffer bytes() {
    return bytes;
  }

  /** One name or value, a character per byte; for logs and tests. */
  public String text(int offset, int length) {
    final byte[] copy = new byte[length];
    bytes.getBytes(offset, copy);
    return new String(copy, StandardCharsets.ISO_8859_1);
  }
}
