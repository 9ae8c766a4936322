package dev.weir.algorithms;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;

/**
 * SipHash-1-3 under a secret key: a 64-bit hash whose collisions cannot be chosen without the key
 * (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012; the 1-3 variant is what Rust
 * and Python use for their tables). Immutable; any thread; allocates nothing.
 */
public final class SipHash {
  private final long key0;
  private final long key1;

  /** The two halves of a 128-bit key, which should come from a secure random source. */
  public SipHash(long key0, long key1) {
    this.key0 = key0;
    this.key1 = key1;
  }

  /**
   * Hashes {@code length} bytes from {@code offset}.
   *
   * @param length 0 or more.
   */
  public long hash(DirectBuffer bytes, int offset, int length) {
    return hash(key0, key1, bytes, offset, length, 1, 3);
  }

  /**
   * A number whose every bit depends on every bit of another: the finaliser of SplitMix64. It is no
   * secret.
   */
  public static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  /** SipHash-c-d. */
  static long hash(
      long key0,
      long key1,
      DirectBuffer bytes,
      int offset,
      int length,
      int wordRounds,
      int finalRounds) {
    long v0 = key0 ^ 0x736f6d6570736575L;
    long v1 = key1 ^ 0x646f72616e646f6dL;
    long v2 = key0 ^ 0x6c7967656e657261L;
    long v3 = key1 ^ 0x7465646279746573L;
    final int end = offset + (length & -Long.BYTES);
    for (int at = offset; ; at += Long.BYTES) {
      final boolean last = at >= end;
      final long word =
          last ? tail(bytes, offset, length) : bytes.getLong(at, ByteOrder.LITTLE_ENDIAN);
      v3 ^= word;
      for (int round = 0; round < wordRounds; round++) {
        v0 += v1;
        v2 += v3;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 = Long.rotateLeft(v0, 32) + v3;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 = Long.rotateLeft(v2, 32);
      }
      v0 ^= word;
      if (last) {
        break;
      }
    }
    v2 ^= 0xff;
    for (int round = 0; round < finalRounds; round++) {
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32) + v3;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  /** The last word: the bytes that do not fill one, and the length in the highest byte. */
  private static long tail(DirectBuffer bytes, int offset, int length) {
    final int rest = length & (Long.BYTES - 1);
    long word = (long) length << 56;
    for (int i = 0; i < rest; i++) {
      final int at = offset + length - rest + i;
      word |= (bytes.getByte(at) & 0xffL) << (i * Byte.SIZE);
    }
    return word;
  }
}
