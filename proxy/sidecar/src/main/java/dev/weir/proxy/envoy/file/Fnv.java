package dev.weir.proxy.envoy.file;

import org.agrona.DirectBuffer;

/**
 * The hash of Fowler, Noll and Vo (1a, 64 bits) for names in files. Callers cannot choose those
 * names, so it needs no secret key.
 */
final class Fnv {
  /** The hash of no bytes. */
  static final long BASIS = 0xCBF2_9CE4_8422_2325L;

  private static final long PRIME = 0x0000_0100_0000_01B3L;

  private Fnv() {}

  static long add(long hash, byte[] bytes) {
    long sum = hash;
    for (byte b : bytes) {
      sum = (sum ^ b) * PRIME;
    }
    return sum;
  }

  static long add(long hash, DirectBuffer bytes, int at, int length) {
    long sum = hash;
    for (int i = at; i < at + length; i++) {
      sum = (sum ^ bytes.getByte(i)) * PRIME;
    }
    return sum;
  }

  /** Separates one name from the next. */
  static long next(long hash) {
    return hash * PRIME + 1;
  }

  static int fold(long hash) {
    return (int) (hash ^ hash >>> 32);
  }
}
