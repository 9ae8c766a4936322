package dev.weir.proxy.store.map;

import dev.weir.algorithms.SipHash;
import java.util.Arrays;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Keys of budgets in the store, one after the other in reused memory. */
public final class StoreKeys {
  /** The longest key. */
  public static final int MAX_KEY_BYTES = 512;

  /** Hashes the bytes of keys, with a fixed key: the same on every sidecar. */
  public static final SipHash HASH = new SipHash(0, 0);

  private final int[] ends;
  private final long[] hashes;
  private final long[] localKeys;
  private byte[] bytes;
  private UnsafeBuffer buffer;
  private int count;

  /** Room for so many keys, however long. */
  public StoreKeys(int maxCount) {
    this(maxCount, maxCount * MAX_KEY_BYTES);
  }

  /** Room for so many keys, and for so many bytes until more are copied in. */
  public StoreKeys(int maxCount, int byteCount) {
    ends = new int[maxCount];
    hashes = new long[maxCount];
    localKeys = new long[maxCount];
    bytes = new byte[byteCount];
    buffer = new UnsafeBuffer(bytes);
  }

  /** Removes all keys. */
  public void clear() {
    count = 0;
  }

  /** Removes the keys from one on. */
  public void removeFrom(int key) {
    count = key;
  }

  public int count() {
    return count;
  }

  /** The memory to write the next key to, from {@link #end()} on. */
  public MutableDirectBuffer buffer() {
    return buffer;
  }

  /** The end of the last key, where the next one begins. */
  public int end() {
    return start(count);
  }

  /**
   * Adds a key that was written from {@link #end()} on.
   *
   * @param end behind its last byte.
   * @param partition of the identity, 0 to {@link Partitions#COUNT} - 1.
   * @param bytesHash of the key's bytes: two different keys may have the same.
   * @param localKey the key of the budget in this process; see {@link #localKey}.
   */
  public void add(int end, int partition, long bytesHash, long localKey) {
    addHashed(end, Partitions.into(bytesHash, partition), localKey);
  }

  /**
   * Adds a name whose meaning this process does not know.
   *
   * @param partition in the name.
   */
  public void add(byte[] name, int partition) {
    int start = end();
    buffer.putBytes(start, name);
    add(start + name.length, partition, HASH.hash(buffer, start, name.length), 0);
  }

  public void addHashed(int end, long hash, long localKey) {
    ends[count] = end;
    localKeys[count] = localKey;
    hashes[count++] = hash;
  }

  /** Replaces all keys by those of another. */
  public void set(StoreKeys from) {
    clear();
    for (int key = 0; key < from.count; key++) {
      copy(from, key);
    }
  }

  /** Adds so many keys of another one. */
  public void add(StoreKeys from, int first, int keyCount) {
    for (int key = first; key < first + keyCount; key++) {
      copy(from, key);
    }
  }

  /** Adds a key of another one. */
  public void copy(StoreKeys from, int key) {
    int start = from.start(key);
    int length = from.ends[key] - start;
    int at = room(length);
    System.arraycopy(from.bytes, start, bytes, at, length);
    addHashed(at + length, from.hashes[key], from.localKeys[key]);
  }

  /** Adds a key of another one with more bytes behind it, of the same partition. */
  public void copyWith(StoreKeys from, int key, byte[] suffix) {
    int start = from.start(key);
    int length = from.ends[key] - start;
    int at = room(length + suffix.length);
    System.arraycopy(from.bytes, start, bytes, at, length);
    System.arraycopy(suffix, 0, bytes, at + length, suffix.length);
    int end = at + length + suffix.length;
    add(end, from.partition(key), HASH.hash(buffer, at, end - at), 0);
  }

  private int room(int length) {
    int at = end();
    if (at + length > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, at + length));
      buffer = new UnsafeBuffer(bytes);
    }
    return at;
  }

  /** The key of the budget in this process; the store does not know it. */
  public long localKey(int key) {
    return localKeys[key];
  }

  public byte[] bytes() {
    return bytes;
  }

  public int start(int key) {
    return key == 0 ? 0 : ends[key - 1];
  }

  /** The bytes of a key. */
  public int length(int key) {
    return ends[key] - start(key);
  }

  /** The partition of a key. */
  public int partition(int key) {
    return Partitions.of(hashes[key]);
  }

  /**
   * The hash of the key's bytes, with its partition in place of some bits; see {@link
   * Partitions#of}.
   */
  public long hash(int key) {
    return hashes[key];
  }

  /** Bytes of so many keys. */
  public int length(int first, int keyCount) {
    return ends[first + keyCount - 1] - start(first);
  }

  /** Whether so many keys are the same as those of another. */
  public boolean holds(int first, StoreKeys other, int otherFirst, int keyCount) {
    for (int i = 0; i < keyCount; i++) {
      if (hashes[first + i] != other.hashes[otherFirst + i]
          || length(first + i) != other.length(otherFirst + i)) {
        return false;
      }
    }
    return Arrays.equals(
        bytes,
        start(first),
        ends[first + keyCount - 1],
        other.bytes,
        other.start(otherFirst),
        other.ends[otherFirst + keyCount - 1]);
  }
}
