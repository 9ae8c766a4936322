package dev.weir.bench.store;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Random;

/** Names as the product gives them, all of one length and of one partition. */
final class Keys {
  private final byte[][] names;

  /**
   * @param format with one place for the number of an identity.
   */
  Keys(String format, int count) {
    names = new byte[count][];
    for (int i = 0; i < count; i++) {
      names[i] = String.format(Locale.ROOT, format, i).getBytes(StandardCharsets.US_ASCII);
    }
  }

  static Keys of(String algorithm, int count) {
    return new Keys("rl:{p042}:" + algorithm + ":user:u%06d:bench", count);
  }

  int count() {
    return names.length;
  }

  byte[] name(int index) {
    return names[index];
  }

  /** Any of them, all equally likely. */
  byte[] any(Random random) {
    return names[random.nextInt(names.length)];
  }
}
