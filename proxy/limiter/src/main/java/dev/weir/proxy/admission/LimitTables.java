package dev.weir.proxy.admission;

import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;

/**
 * The limit tables, which all event loops share: one for limits whose state is one word, and, if a
 * rule needs it, one for limits with a ring per key. There are two as a ring takes many times the
 * memory of a word.
 */
public final class LimitTables implements AutoCloseable {
  /** The share of a table that live keys may fill before probing finds no room (measured: 60 %). */
  private static final double LOAD = 0.55;

  private static final int WORD_BYTES = 16;

  /** Bytes per key in a table without rings for the weight of the key's first request. */
  private static final int WEIGHT_BYTES = 4;

  /**
   * The most bytes of a table's rings, which must fit one buffer, with the shared ones at its end.
   */
  static final long MAX_RING_BYTES = Integer.MAX_VALUE - 64;

  private static final int SHARED_RINGS = 64;

  private final LimitTable words;
  private final LimitTable rings;
  private final long bytes;
  private final String text;

  private LimitTables(LimitTable words, LimitTable rings, long bytes, String text) {
    this.words = words;
    this.rings = rings;
    this.bytes = bytes;
    this.text = text;
  }

  /**
   * Allocates the tables.
   *
   * @param ringCells length of a ring, a power of two; 0 for no rings.
   * @throws IllegalArgumentException if there is not enough memory, with what was expected.
   */
  public static LimitTables allocate(AdmissionSettings settings, int ringCells) {
    LimitTable words = new LimitTable(slotCount(settings.tableKeyCount()));
    String text = "limit table: " + size(settings.tableKeyCount(), 0);
    long bytes = bytes(settings.tableKeyCount(), 0);
    if (ringCells == 0) {
      return new LimitTables(words, null, bytes, text);
    }
    try {
      LimitTable rings = new LimitTable(slotCount(settings.ringKeyCount()), ringCells);
      String ringText = "rings: " + size(settings.ringKeyCount(), ringCells) + " of " + ringCells;
      return new LimitTables(
          words,
          rings,
          bytes + bytes(settings.ringKeyCount(), ringCells),
          text + "; " + ringText + " cells");
    } catch (IllegalArgumentException noRoom) {
      words.close();
      throw noRoom;
    }
  }

  /** The most keys whose rings of that length fit one table. */
  public static int maxRingKeys(int ringCells) {
    long slots = MAX_RING_BYTES / ((long) ringCells * Long.BYTES) - SHARED_RINGS;
    return (int) (Long.highestOneBit(Math.max(slots, 1)) * LOAD);
  }

  private static int slotCount(int keyCount) {
    long wanted = (long) Math.ceil(keyCount / LOAD);
    long slots = Long.highestOneBit(Math.max(LimitTable.MIN_SLOT_COUNT, wanted - 1)) << 1;
    return (int) Math.min(slots, LimitTable.MAX_SLOT_COUNT);
  }

  private static String size(int keyCount, int ringCells) {
    long tenths = Math.round(bytes(keyCount, ringCells) * 10 / (double) (1 << 20));
    return tenths / 10 + "." + tenths % 10 + " MiB for " + grouped(keyCount) + " keys";
  }

  /**
   * The number with commas between thousands. Written without a formatter, which would load many
   * classes.
   */
  private static String grouped(int count) {
    StringBuilder text = new StringBuilder().append(count);
    for (int at = text.length() - 3; at > 0; at -= 3) {
      text.insert(at, ',');
    }
    return text.toString();
  }

  /** Bytes of a table for a number of keys, without a few counters and marks. */
  static long bytes(int keyCount, int ringCells) {
    int bytes = ringCells == 0 ? WORD_BYTES + WEIGHT_BYTES : WORD_BYTES;
    return (long) slotCount(keyCount) * bytes + ringBytes(keyCount, ringCells);
  }

  static long ringBytes(int keyCount, int ringCells) {
    long slots = slotCount(keyCount);
    return (slots + Math.min(slots, SHARED_RINGS)) * ringCells * Long.BYTES;
  }

  /** The table that holds a limit's budgets. */
  public LimitTable of(Limit limit) {
    return limit.cells() == 0 ? words : rings;
  }

  public LimitTable words() {
    return words;
  }

  /** The table of limits with rings; null if there is none. */
  public LimitTable rings() {
    return rings;
  }

  /** Bytes of the tables once all their keys are used, without a few counters and marks. */
  public long bytes() {
    return bytes;
  }

  /** How much memory was taken, and for how many keys. */
  @Override
  public String toString() {
    return text;
  }

  /** Frees the memory. No thread may be inside a check. */
  @Override
  public void close() {
    words.close();
    if (rings != null) {
      rings.close();
    }
  }
}
