package dev.weir.bench.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Commands in RESP, encoded before they are needed and one after the other, so that sending any
 * number of neighbours is one write. Reused: {@link #clear} forgets them. Owned by one thread.
 */
final class Commands {
  private final ByteBuffer bytes;
  private int[] starts = new int[1 << 12];
  private int count;
  private Runnable renewal = () -> {};

  /**
   * @param maxBytes of all commands together; more is a {@link java.nio.BufferOverflowException}.
   */
  Commands(int maxBytes) {
    bytes = ByteBuffer.allocateDirect(maxBytes);
  }

  void clear() {
    bytes.clear();
    count = 0;
    renewal = () -> {};
  }

  /** Sets what {@link #renew} does. */
  void renewedBy(Runnable task) {
    renewal = task;
  }

  /** Changes the commands where they must not be sent twice; none of them is being written. */
  void renew() {
    renewal.run();
  }

  /** Begins a command of so many parts; each is to follow. */
  Commands command(int parts) {
    if (count + 1 == starts.length) {
      starts = Arrays.copyOf(starts, 2 * starts.length);
    }
    starts[count++] = bytes.position();
    head('*', parts);
    return this;
  }

  Commands part(byte[] part) {
    head('$', part.length);
    bytes.put(part).put((byte) '\r').put((byte) '\n');
    return this;
  }

  /** Adds the first bytes of an array; returns where they begin. */
  int part(byte[] from, int length) {
    head('$', length);
    final int place = bytes.position();
    bytes.put(from, 0, length).put((byte) '\r').put((byte) '\n');
    return place;
  }

  /** Replaces as many bytes of a part. */
  void replace(int place, byte[] by, int length) {
    bytes.put(place, by, 0, length);
  }

  Commands part(String part) {
    return part(part.getBytes(StandardCharsets.US_ASCII));
  }

  private void head(char type, int number) {
    bytes.put((type + Integer.toString(number) + "\r\n").getBytes(StandardCharsets.US_ASCII));
  }

  int count() {
    return count;
  }

  /** Another view of all bytes; {@link #select} sets its bounds. */
  ByteBuffer view() {
    return bytes.duplicate();
  }

  /** Bounds a view to {@code number} commands from {@code first} on. */
  void select(ByteBuffer view, int first, int number) {
    final int end = first + number == count ? bytes.position() : starts[first + number];
    view.limit(end).position(starts[first]);
  }

  /** A copy of one command. */
  byte[] copy(int index) {
    final ByteBuffer view = view();
    select(view, index, 1);
    final byte[] copy = new byte[view.remaining()];
    view.get(copy);
    return copy;
  }
}
