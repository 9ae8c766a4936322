package dev.weir.proxy.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * The identities about which two sets of rules differ most, among any number of them, in bounded
 * memory (the space-saving algorithm of Metwally and others, in sets of four). An identity that is
 * not known takes the place of the one in its set that differed least, and its rank: so one that
 * differs often stays, and one that differs once soon gives way. What is told of an identity was
 * counted since it has its place, and is never too much.
 *
 * <p>Written by one thread. Others read each entry as it was at one moment: its version is odd
 * while it is written, and a reader that finds another version afterwards reads again.
 */
final class DifferingIdentities {
  private static final int SETS = 256;
  private static final int WAYS = 4;

  /** The longest text that is kept; longer ones are cut. */
  static final int TEXT_BYTES = 128;

  /** A reader tries so often to read an entry, which is then left out. */
  private static final int MOST_READS = 100;

  private static final VarHandle VERSION;

  static {
    try {
      VERSION = MethodHandles.lookup().findVarHandle(Entry.class, "version", int.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private final Entry[] entries = new Entry[SETS * WAYS];

  private static final class Entry {
    private int version;
    private WhatIfCounts.Row row;
    private long identity;

    /** The number of differences, with those of whoever had the place before. */
    private long rank;

    private long onlyNow;
    private long onlyThen;
    private int length;
    private final byte[] text = new byte[TEXT_BYTES];
  }

  /**
   * An identity and how often it was refused by one of the two only.
   *
   * @param row of its rules.
   * @param text empty if it has none.
   */
  record Found(WhatIfCounts.Row row, String text, long onlyNow, long onlyThen) {}

  DifferingIdentities() {
    for (int i = 0; i < entries.length; i++) {
      entries[i] = new Entry();
    }
  }

  /**
   * Counts a request about which the two differ.
   *
   * @param passesThen whether the candidate lets it pass.
   */
  void add(WhatIfCounts.Row row, boolean passesThen, long identity, DirectBuffer text, int length) {
    int set = (int) (identity ^ identity >>> 32) & SETS - 1;
    Entry least = null;
    for (int i = set * WAYS; i < (set + 1) * WAYS; i++) {
      Entry entry = entries[i];
      if (entry.identity == identity && entry.row == row) {
        write(entry, passesThen);
        return;
      }
      if (least == null || entry.rank < least.rank) {
        least = entry;
      }
    }
    begin(least);
    least.row = row;
    least.identity = identity;
    least.onlyNow = 0;
    least.onlyThen = 0;
    least.length = Math.min(length, TEXT_BYTES);
    text.getBytes(0, least.text, 0, least.length);
    count(least, passesThen);
    end(least);
  }

  private static void write(Entry entry, boolean passesThen) {
    begin(entry);
    count(entry, passesThen);
    end(entry);
  }

  private static void count(Entry entry, boolean passesThen) {
    entry.rank++;
    if (passesThen) {
      entry.onlyNow++;
    } else {
      entry.onlyThen++;
    }
  }

  private static void begin(Entry entry) {
    VERSION.setOpaque(entry, entry.version + 1);
    VarHandle.storeStoreFence();
  }

  private static void end(Entry entry) {
    VERSION.setRelease(entry, entry.version + 1);
  }

  /** Reads all entries, in no order. Any thread. */
  void read(Consumer<Found> to) {
    for (Entry entry : entries) {
      Found found = null;
      boolean isRead = false;
      for (int i = 0; i < MOST_READS && !isRead; i++) {
        int before = (int) VERSION.getAcquire(entry);
        if ((before & 1) == 0) {
          found = copy(entry);
          VarHandle.loadLoadFence();
          isRead = (int) VERSION.getOpaque(entry) == before;
        }
      }
      if (isRead && found != null) {
        to.accept(found);
      }
    }
  }

  /** A copy that may be of two moments; null of a place that nobody has. */
  private static Found copy(Entry entry) {
    return entry.row == null
        ? null
        : new Found(
            entry.row,
            new String(entry.text, 0, entry.length, StandardCharsets.US_ASCII),
            entry.onlyNow,
            entry.onlyThen);
  }
}
