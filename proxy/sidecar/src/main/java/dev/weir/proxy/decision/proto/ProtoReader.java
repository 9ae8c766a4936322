package dev.weir.proxy.decision.proto;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads one message of Protocol Buffers, field by field, in whatever order they come:
 *
 * <pre>
 * for (int field = reader.wrap(bytes, offset, length).next(); field != END; field = reader.next()) {
 *   switch (field) {
 *     case 1 -> cost = reader.varint();
 *     case 2 -> reader.message(nested);
 *     default -> reader.skip();
 *   }
 * }
 * if (reader.isMalformed()) ...
 * </pre>
 *
 * <p>Each field is read once, by one of those calls. What is cut, or of another type than asked
 * for, makes the message malformed: no field follows then. Of a field that comes twice the last
 * counts, for whoever reads it so. Not thread-safe; used again for any number of messages.
 */
public final class ProtoReader {
  /** The result if there is no further field. */
  public static final int END = 0;

  private static final int MAX_VARINT_BYTES = 10;
  private static final int MAX_GROUP_DEPTH = 32;

  private final UnsafeBuffer bytes = new UnsafeBuffer(0, 0);
  private int at;
  private int end;
  private int wireType;
  private int field;
  private int valueOffset;
  private int valueLength;
  private boolean malformed;

  /** Begins a message. */
  public ProtoReader wrap(DirectBuffer source, int offset, int length) {
    bytes.wrap(source, offset, length);
    at = 0;
    end = length;
    malformed = false;
    return this;
  }

  /** The number of the next field, 1 or more; or {@link #END}. */
  public int next() {
    if (at == end || malformed) {
      return END;
    }
    final long tag = readVarint();
    field = (int) (tag >>> WireType.BITS);
    wireType = (int) tag & (1 << WireType.BITS) - 1;
    if (malformed || tag >>> 32 != 0 || field == 0 || wireType == WireType.GROUP_END) {
      return fault();
    }
    return field;
  }

  /** Reads the value of an integer, boolean or enumeration field. */
  public long varint() {
    return isOf(WireType.VARINT) ? readVarint() : 0;
  }

  /** Reads the value of a boolean field. */
  public boolean bool() {
    return varint() != 0;
  }

  /** Reads a field of bytes, which are at {@link #offset}. */
  public void bytes() {
    valueOffset = at;
    valueLength = 0;
    if (!isOf(WireType.BYTES)) {
      return;
    }
    final long length = readVarint();
    if (malformed || length < 0 || length > end - at) {
      fault();
      return;
    }
    valueOffset = at;
    valueLength = (int) length;
    at += valueLength;
  }

  /** Reads a text field, which is at {@link #offset}; it must be UTF-8. */
  public void text() {
    bytes();
    if (!Utf8.isValid(bytes, valueOffset, valueLength)) {
      fault();
      valueLength = 0;
    }
  }

  /** Reads a field of bytes, and copies them. */
  public byte[] copy() {
    bytes();
    byte[] copy = new byte[valueLength];
    bytes.getBytes(valueOffset, copy);
    return copy;
  }

  /** Reads a text field, and copies it; empty if it is not UTF-8. */
  public String copyText() {
    text();
    return bytes.getStringWithoutLengthUtf8(valueOffset, valueLength);
  }

  /** Reads a field of a message, and begins that message. */
  public ProtoReader message(ProtoReader into) {
    bytes();
    return into.wrap(bytes, valueOffset, valueLength);
  }

  /** The start of the last value, counted from the start of the message. */
  public int offset() {
    return valueOffset;
  }

  /** The length of the value that was read last. */
  public int length() {
    return valueLength;
  }

  /** Skips an unknown field. */
  public void skip() {
    skip(0);
  }

  private void skip(int depth) {
    switch (wireType) {
      case WireType.VARINT -> readVarint();
      case WireType.FIXED64 -> advance(Long.BYTES);
      case WireType.FIXED32 -> advance(Integer.BYTES);
      case WireType.BYTES -> bytes();
      case WireType.GROUP_BEGIN -> skipGroup(depth);
      default -> fault();
    }
  }

  private void skipGroup(int depth) {
    final int group = field;
    while (depth < MAX_GROUP_DEPTH && at < end && !malformed) {
      final long tag = readVarint();
      if (tag == ((long) group << WireType.BITS | WireType.GROUP_END)) {
        return;
      }
      field = (int) (tag >>> WireType.BITS);
      wireType = (int) tag & (1 << WireType.BITS) - 1;
      if (tag >>> 32 != 0 || field == 0) {
        break;
      }
      skip(depth + 1);
    }
    fault();
  }

  /** Whether the message is malformed. */
  public boolean isMalformed() {
    return malformed;
  }

  /** Marks the message as malformed, as one within it is. */
  public void malformed() {
    fault();
  }

  private boolean isOf(int type) {
    if (wireType != type) {
      fault();
    }
    return !malformed;
  }

  private boolean has(int length) {
    if (end - at < length) {
      fault();
    }
    return !malformed;
  }

  private void advance(int length) {
    if (has(length)) {
      at += length;
    }
  }

  private long readVarint() {
    if (at < end) {
      final byte first = bytes.getByte(at);
      if (first >= 0) {
        at++;
        return first;
      }
    }
    long value = 0;
    for (int i = 0; i < MAX_VARINT_BYTES && at < end; i++) {
      final byte b = bytes.getByte(at++);
      value |= (long) (b & 0x7f) << 7 * i;
      if (b >= 0 && (i < MAX_VARINT_BYTES - 1 || b <= 1)) {
        return value;
      }
    }
    fault();
    return 0;
  }

  private int fault() {
    malformed = true;
    at = end;
    return END;
  }
}
