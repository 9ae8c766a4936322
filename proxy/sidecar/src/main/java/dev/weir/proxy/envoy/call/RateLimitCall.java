package dev.weir.proxy.envoy.call;

import dev.weir.proxy.envoy.file.DescriptorSpec;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * One call: a domain, and descriptors of entries, each a key and a value. Texts stay in the bytes
 * of the call. Filled anew for each call, and valid until the limiter returns. One per event loop;
 * its memory grows to what was needed, and stays.
 */
final class RateLimitCall {
  /** The most descriptors of a call. */
  static final int MAX_DESCRIPTORS = 128;

  /** The most entries of all its descriptors together. */
  static final int MAX_ENTRIES = 1_024;

  /** The most bytes of a key or a value: Envoy accepts heads of 60 KiB by default. */
  static final int MAX_TEXT_BYTES = 64 * 1024;

  /**
   * The most bytes of all its keys and values: {@link DescriptorSpec#MAX_SEARCHING} patterns search
   * them in some 10 ms, during which the event loop does nothing else.
   */
  static final int MAX_CALL_TEXT_BYTES = 8 * MAX_TEXT_BYTES;

  /** Stands for absent hits: those of the call, or 1. */
  static final long HITS_OF_CALL = -1;

  /** Stands for an absent unit of a limit. */
  static final int NO_UNIT = 0;

  private static final int NO_LIMIT = -1;
  private static final int AT_FIRST = 8;

  private DirectBuffer bytes;
  private int domainAt;
  private int domainLength;
  private long hits;
  private int descriptorCount;
  private int entryCount;
  private int textBytes;
  private boolean hasLongText;
  private int[] firstEntries = new int[AT_FIRST + 1];
  private long[] hitsOf = new long[AT_FIRST];
  private long[] limits = new long[AT_FIRST];

  /** The unit of a descriptor's own limit; {@link #NO_LIMIT} if it brings none. */
  private int[] units = new int[AT_FIRST];

  /** The key and the value of each entry, in fours: offset, length, offset, length. */
  private int[] entries = new int[4 * AT_FIRST];

  /**
   * Begins a call without a domain and descriptors, with one hit.
   *
   * @param of the bytes with its texts.
   */
  RateLimitCall start(DirectBuffer of) {
    bytes = of;
    domainLength = 0;
    hits = 1;
    descriptorCount = 0;
    entryCount = 0;
    textBytes = 0;
    hasLongText = false;
    return this;
  }

  void domain(int at, int length) {
    domainAt = at;
    domainLength = length;
  }

  /** Sets the hits of descriptors that have none of their own; 0 means 1. */
  void hits(long count) {
    hits = count == 0 ? 1 : count;
  }

  /** Begins a descriptor; false if there are too many. */
  boolean descriptor() {
    if (descriptorCount == MAX_DESCRIPTORS) {
      return false;
    }
    if (descriptorCount == hitsOf.length) {
      int length = 2 * descriptorCount;
      firstEntries = Arrays.copyOf(firstEntries, length + 1);
      hitsOf = Arrays.copyOf(hitsOf, length);
      limits = Arrays.copyOf(limits, length);
      units = Arrays.copyOf(units, length);
    }
    firstEntries[descriptorCount] = entryCount;
    hitsOf[descriptorCount] = HITS_OF_CALL;
    units[descriptorCount++] = NO_LIMIT;
    firstEntries[descriptorCount] = entryCount;
    return true;
  }

  /** Adds an entry to the last descriptor; false if there are too many. */
  boolean entry(int keyAt, int keyLength, int valueAt, int valueLength) {
    if (entryCount == MAX_ENTRIES) {
      return false;
    }
    int at = 4 * entryCount++;
    if (at == entries.length) {
      entries = Arrays.copyOf(entries, 2 * at);
    }
    textBytes += keyLength + valueLength;
    hasLongText |= keyLength > MAX_TEXT_BYTES || valueLength > MAX_TEXT_BYTES;
    entries[at] = keyAt;
    entries[at + 1] = keyLength;
    entries[at + 2] = valueAt;
    entries[at + 3] = valueLength;
    firstEntries[descriptorCount] = entryCount;
    return true;
  }

  /** Sets the hits of the last descriptor; 0 only looks. */
  void hitsOfDescriptor(long count) {
    // An unsigned number of 64 bits: what is beyond any limit is as good as the highest count.
    hitsOf[descriptorCount - 1] = count < 0 ? Long.MAX_VALUE : count;
  }

  /** Sets the limit that the last descriptor brings, instead of the file's. */
  void limitOfDescriptor(long requestsPerUnit, int unit) {
    limits[descriptorCount - 1] = requestsPerUnit;
    units[descriptorCount - 1] = unit;
  }

  /** Why the call cannot be decided; null if it can. */
  CallFault fault() {
    if (domainLength == 0) {
      return CallFault.NO_DOMAIN;
    }
    if (descriptorCount == 0) {
      return CallFault.NO_DESCRIPTORS;
    }
    if (hasLongText || textBytes > MAX_CALL_TEXT_BYTES) {
      return CallFault.TOO_LONG;
    }
    for (int i = 0; i < descriptorCount; i++) {
      if (units[i] == NO_UNIT) {
        return CallFault.NO_UNIT;
      }
    }
    return null;
  }

  /** Sets the bytes with the texts, once they are complete. */
  void bytes(DirectBuffer of) {
    bytes = of;
  }

  DirectBuffer bytes() {
    return bytes;
  }

  int domainAt() {
    return domainAt;
  }

  int domainLength() {
    return domainLength;
  }

  int descriptorCount() {
    return descriptorCount;
  }

  /** The index of a descriptor's first entry. */
  int firstEntry(int descriptor) {
    return firstEntries[descriptor];
  }

  /** The number of a descriptor's entries. */
  int entryCount(int descriptor) {
    return firstEntries[descriptor + 1] - firstEntries[descriptor];
  }

  int keyAt(int entry) {
    return entries[4 * entry];
  }

  int keyLength(int entry) {
    return entries[4 * entry + 1];
  }

  int valueAt(int entry) {
    return entries[4 * entry + 2];
  }

  int valueLength(int entry) {
    return entries[4 * entry + 3];
  }

  /** The hits of a descriptor, 0 or more. */
  long hits(int descriptor) {
    return hitsOf[descriptor] == HITS_OF_CALL ? hits : hitsOf[descriptor];
  }

  /** Whether a descriptor brings a limit. */
  boolean hasLimit(int descriptor) {
    return units[descriptor] != NO_LIMIT;
  }

  /** The limit that a descriptor brings. */
  long limit(int descriptor) {
    return limits[descriptor];
  }

  /** The number of the unit of the limit that a descriptor brings. */
  int unit(int descriptor) {
    return units[descriptor];
  }
}
