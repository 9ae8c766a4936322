package dev.weir.proxy.traffic;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The value by which requests of one user are known, written over in bytes that are sent again and
 * again.
 */
final class UserId {
  /** The placeholder for a value. */
  static final String PLACE = "########";

  private static final byte[] DIGITS = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final byte[] bytes;
  private final int[] offsets;

  /**
   * @param bytes with {@link #PLACE} once or more.
   */
  UserId(byte[] bytes) {
    this.bytes = bytes;
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    List<Integer> places = new ArrayList<>();
    for (int at = text.indexOf(PLACE); at >= 0; at = text.indexOf(PLACE, at + 1)) {
      places.add(at);
    }
    offsets = places.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Writes the value of one user in all places. */
  void write(int user) {
    for (int offset : offsets) {
      for (int i = 0; i < PLACE.length(); i++) {
        bytes[offset + i] = DIGITS[user >>> 4 * (PLACE.length() - 1 - i) & 15];
      }
    }
  }
}
