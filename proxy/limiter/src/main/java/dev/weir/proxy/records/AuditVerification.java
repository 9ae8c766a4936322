package dev.weir.proxy.records;

import java.util.ArrayList;
import java.util.List;

/**
 * Checks entries of an audit against their chain, in the order in which they stand: the oldest
 * first, or the newest first. It finds an entry that was removed, changed or moved, and names it.
 *
 * <p>Who can write the whole audit can make another chain of it from some entry on, and can cut its
 * end. A head that was noted elsewhere finds both: {@link #expect}.
 */
public final class AuditVerification {
  /** A line that was read, and what the chain knows of it. */
  private record Line(String place, long number, String hash, String previous) {}

  private static final int MOST_FAULTS = 100;

  private final List<String> faults = new ArrayList<>();
  private long expected;
  private String expectedHash;
  private boolean expectedFound;
  private long entries;
  private Line last;
  private Line newest;
  private int step;

  /**
   * Asks that an entry be there with the hash that it had.
   *
   * @param hash in hexadecimal.
   */
  public void expect(long number, String hash) {
    expected = number;
    expectedHash = hash;
  }

  /**
   * Takes the next line.
   *
   * @param place where it stands, for messages: {@code export.ndjson:17}.
   */
  public void next(String place, String line) {
    AuditEntry entry;
    try {
      entry = AuditEntry.parse(line);
    } catch (IllegalArgumentException e) {
      fault(place + ": " + e.getMessage());
      return;
    }
    Line present =
        new Line(place, Long.parseLong(entry.id()), AuditHead.hash(line), entry.previousHash());
    entries++;
    if (last == null) {
      last = present;
    } else {
      follow(present);
    }
    if (newest == null || present.number > newest.number) {
      newest = present;
    }
    if (present.number == expected) {
      expectedFound = true;
      if (!present.hash.equals(expectedHash)) {
        fault(place + ": entry " + expected + " is not the one that was expected");
      }
    }
    if (present.number == 1 && !present.previous.equals(AuditHead.START.hash())) {
      fault(place + ": entry 1 follows another entry");
    }
  }

  /** Takes the next line, which is not as it was written. */
  public void broken(String place) {
    fault(place + ": the line is broken (expected: its CRC32C)");
  }

  private void follow(Line present) {
    long difference = present.number - last.number;
    if (step == 0) {
      step = difference < 0 ? -1 : 1;
    }
    long ahead = difference * step;
    if (ahead <= 0) {
      fault(
          present.place
              + ": entry "
              + present.number
              + " stands after entry "
              + last.number
              + ": it was moved or repeated");
      return;
    }
    if (ahead == 1) {
      Line older = step > 0 ? last : present;
      Line newer = step > 0 ? present : last;
      if (!newer.previous.equals(older.hash)) {
        fault(
            older.place
                + ": entry "
                + older.number
                + " was changed: it is not the one that entry "
                + newer.number
                + " was chained to");
      }
    } else {
      long from = Math.min(present.number, last.number) + 1;
      long to = Math.max(present.number, last.number) - 1;
      fault(
          present.place
              + (from == to
                  ? ": entry " + from + " is missing"
                  : ": entries " + from + " to " + to + " are missing")
              + " before it");
    }
    last = present;
  }

  private void fault(String text) {
    if (faults.size() < MOST_FAULTS) {
      faults.add(text);
    }
  }

  /** Returns what was found, at most 100 faults; empty if the audit is whole. */
  public List<String> faults() {
    if (expectedHash != null && !expectedFound) {
      fault("entry " + expected + " is missing: it was expected");
      expectedFound = true;
    }
    return faults;
  }

  /** How many entries there were. */
  public long entries() {
    return entries;
  }

  /** The number of the newest entry, and its hash, to be noted elsewhere; null if there is none. */
  public String head() {
    return newest == null ? null : newest.number + ":" + newest.hash;
  }
}
