package dev.weir.proxy.redis;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The key of one budget in the store, written into memory that is reused. One per event loop. */
public final class StoreKey {
  /** The longest key. */
  public static final int MAX_BYTES = 512;

  private final byte[] bytes = new byte[MAX_BYTES];
  private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
  private int length;
  private long hash;

  /** Where to write the key, from 0. */
  public MutableDirectBuffer buffer() {
    return buffer;
  }

  /**
   * Says what was written.
   *
   * @param partition of the identity, 0 to {@link Partitions#COUNT} - 1.
   * @param bytesHash of the key's bytes: those of two different keys may be the same.
   */
  public void written(int length, int partition, long bytesHash) {
    this.length = length;
    this.hash = Partitions.into(bytesHash, partition);
  }

  byte[] bytes() {
    return bytes;
  }

  int length() {
    return length;
  }

  int partition() {
    return Partitions.of(hash);
  }

  /** Of the key's bytes, but for its partition, which {@link Partitions#of} finds in it. */
  long hash() {
    return hash;
  }
}
