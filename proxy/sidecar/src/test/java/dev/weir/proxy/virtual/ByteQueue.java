package dev.weir.proxy.virtual;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bytes on their way, in order. */
final class ByteQueue {
  private byte[] bytes = new byte[64];
  private int start;
  private int end;

  int size() {
    return end - start;
  }

  boolean isEmpty() {
    return start == end;
  }

  void clear() {
    start = 0;
    end = 0;
  }

  private void ensureRoom(int count) {
    if (end + count <= bytes.length) {
      return;
    }
    int size = size();
    byte[] larger = 2 * (size + count) <= bytes.length ? bytes : new byte[2 * (size + count)];
    System.arraycopy(bytes, start, larger, 0, size);
    bytes = larger;
    start = 0;
    end = size;
  }

  /** A number of so many bytes, from one so many behind the first; the highest bit of four is 0. */
  int number(int index, int count) {
    int number = 0;
    for (int i = 0; i < count; i++) {
      number = number << 8 | bytes[start + index + i] & 0xff;
    }
    return number;
  }

  /** The first bytes. */
  byte[] bytes(int count) {
    return Arrays.copyOfRange(bytes, start, start + count);
  }

  /** Adds a number as so many bytes. */
  void addNumber(int number, int count) {
    ensureRoom(count);
    for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
      bytes[end++] = (byte) (number >> shift);
    }
  }

  void add(byte[] from, int offset, int count) {
    ensureRoom(count);
    System.arraycopy(from, offset, bytes, end, count);
    end += count;
  }

  void add(byte[] from) {
    add(from, 0, from.length);
  }

  void add(String ascii) {
    add(ascii.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Takes bytes out of a buffer, but leaves its indices. */
  void add(ByteBuf from, int count) {
    ensureRoom(count);
    from.getBytes(from.readerIndex(), bytes, end, count);
    end += count;
  }

  /** Whether the first bytes are these. */
  boolean startsWith(byte[] other, int offset, int count) {
    return Arrays.equals(bytes, start, start + count, other, offset, offset + count);
  }

  /** Moves the first bytes behind the end of another queue. */
  void move(ByteQueue to, int count) {
    to.add(bytes, start, count);
    skip(count);
  }

  /** Moves the first bytes to the end of a buffer. */
  void move(ByteBuf to, int count) {
    to.writeBytes(bytes, start, count);
    skip(count);
  }

  void skip(int count) {
    start += count;
    if (start == end) {
      clear();
    }
  }

  /** Takes out the first bytes, as text. */
  String text(int count) {
    String text = new String(bytes, start, count, StandardCharsets.ISO_8859_1);
    skip(count);
    return text;
  }

  /** How many bytes there are before the first of these; -1 if they do not occur. */
  int find(String ascii) {
    int length = ascii.length();
    for (int at = start; at + length <= end; at++) {
      int same = 0;
      while (same < length && bytes[at + same] == ascii.charAt(same)) {
        same++;
      }
      if (same == length) {
        return at - start;
      }
    }
    return -1;
  }
}
