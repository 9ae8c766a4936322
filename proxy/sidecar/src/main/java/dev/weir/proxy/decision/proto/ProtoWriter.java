package dev.weir.proxy.decision.proto;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes a protobuf message, with some room left before it. As in proto3, 0, false and empty texts
 * are not written; an empty nested message is. Grows as needed. Not thread-safe; reused.
 */
public final class ProtoWriter {
  private static final int MAX_VARINT_BYTES = 10;
  private static final int INITIAL_BYTES = 512;

  private final int roomBefore;
  private byte[] array = new byte[INITIAL_BYTES];
  private final UnsafeBuffer out = new UnsafeBuffer(array);
  private int at;

  /**
   * @param roomBefore that is left before the message, in bytes.
   */
  public ProtoWriter(int roomBefore) {
    this.roomBefore = roomBefore;
    at = roomBefore;
  }

  /** Begins a message. */
  public ProtoWriter begin() {
    at = roomBefore;
    return this;
  }

  /** The room before the message, and the message; until something more is written. */
  public byte[] array() {
    return array;
  }

  /** The end of the message in {@link #array}. */
  public int end() {
    return at;
  }

  /** The bytes of the message. */
  public int length() {
    return at - roomBefore;
  }

  /** Writes an integer field without zigzag coding, or an enumeration field. */
  public ProtoWriter varint(int field, long value) {
    if (value != 0) {
      ensure(2 * MAX_VARINT_BYTES);
      tag(field, WireType.VARINT);
      number(value);
    }
    return this;
  }

  /** Writes a boolean field. */
  public ProtoWriter bool(int field, boolean value) {
    return varint(field, value ? 1 : 0);
  }

  /** Writes a field of bytes or text. */
  public ProtoWriter bytes(int field, byte[] value) {
    if (value.length > 0) {
      ensure(2 * MAX_VARINT_BYTES + value.length);
      tag(field, WireType.BYTES);
      number(value.length);
      System.arraycopy(value, 0, array, at, value.length);
      at += value.length;
    }
    return this;
  }

  /** Writes a field of bytes or text. */
  public ProtoWriter bytes(int field, DirectBuffer from, int offset, int length) {
    if (length > 0) {
      ensure(2 * MAX_VARINT_BYTES + length);
      tag(field, WireType.BYTES);
      number(length);
      out.putBytes(at, from, offset, length);
      at += length;
    }
    return this;
  }

  /** Writes a text field. */
  public ProtoWriter text(int field, String value) {
    final int length = value.length();
    ensure(2 * MAX_VARINT_BYTES + length);
    final int begun = at;
    tag(field, WireType.BYTES);
    number(length);
    for (int i = 0; i < length; i++) {
      final char c = value.charAt(i);
      if (c >= 0x80) {
        at = begun;
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
      }
      array[at++] = (byte) c;
    }
    if (length == 0) {
      at = begun;
    }
    return this;
  }

  /**
   * Begins a field of a message, whose own fields follow.
   *
   * @return the argument for {@link #endMessage}.
   */
  public int beginMessage(int field) {
    ensure(MAX_VARINT_BYTES + 1);
    tag(field, WireType.BYTES);
    return ++at; // for its length, which seldom takes more than a byte
  }

  /** Ends the field of a message that was begun. */
  public void endMessage(int begun) {
    final int length = at - begun;
    int lengthBytes = 1;
    for (int rest = length >>> 7; rest != 0; rest >>>= 7) {
      lengthBytes++;
    }
    if (lengthBytes > 1) {
      ensure(lengthBytes);
      System.arraycopy(array, begun, array, begun + lengthBytes - 1, length);
    }
    at = begun - 1;
    number(length);
    at += length;
  }

  private void tag(int field, int wireType) {
    number((long) field << WireType.BITS | wireType);
  }

  private void number(long value) {
    if ((value & ~0x7fL) == 0) {
      array[at++] = (byte) value; // as nearly all tags and lengths are
    } else {
      longNumber(value);
    }
  }

  private void longNumber(long value) {
    final byte[] to = array;
    int end = at;
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      to[end++] = (byte) (rest & 0x7f | 0x80);
      rest >>>= 7;
    }
    to[end++] = (byte) rest;
    at = end;
  }

  private void ensure(int bytes) {
    if (array.length - at < bytes) {
      array = Arrays.copyOf(array, Math.max(2 * array.length, at + bytes));
      out.wrap(array);
    }
  }
}
