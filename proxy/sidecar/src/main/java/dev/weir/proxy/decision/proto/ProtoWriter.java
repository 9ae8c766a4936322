package dev.weir.proxy.decision.proto;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes a message of Protocol Buffers behind some room that is left before it. A number of 0, a
 * truth that is false and a text of no bytes are not written, as the third version of the language
 * has it; a message within is, even if it is empty. Grows as it must. Not thread-safe; used again
 * for any number of messages.
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

  /** A field of a number without a sign, an enumeration, or a number with a sign as it stands. */
  public ProtoWriter varint(int field, long value) {
    if (value != 0) {
      ensure(2 * MAX_VARINT_BYTES);
      tag(field, WireType.VARINT);
      number(value);
    }
    return this;
  }

  /** A field of a truth. */
  public ProtoWriter bool(int field, boolean value) {
    return varint(field, value ? 1 : 0);
  }

  /** A field of bytes or of a text. */
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

  /** A field of bytes or of a text. */
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

  /** A field of a text. */
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
   * @return what {@link #endMessage} wants to be told.
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
