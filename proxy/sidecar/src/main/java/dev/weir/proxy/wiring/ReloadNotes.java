package dev.weir.proxy.wiring;

import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Notes in the audit that the settings file has changed the rules, with the author {@code file}. No
 * reload waits for it: what the store does not take is noted as soon as it does. Of more than
 * {@link #MOST} that wait the oldest are lost, and counted.
 *
 * <p>A fleet reloads one file at one time, and writes of the audit follow each other. So each
 * sidecar tries at a time of its own, and notes nothing that another one has noted: changes to
 * rules of the same digest.
 */
final class ReloadNotes {
  static final int MOST = 16;

  /** Milliseconds within which the store is tried first; after each failure in twice as many. */
  static final long SPREAD_MS = 1_000;

  static final long MOST_SPREAD_MS = 60_000;

  /** For how long an entry of another sidecar stands for a later change to the same rules. */
  private static final Duration STANDS = Duration.ofDays(1);

  /** The entries of the author that are looked at. */
  private static final int MOST_ENTRIES = 100;

  private static final String NAME = "file";
  private static final String ACTION = "reload";
  private static final RecordName FILE = new RecordName(Kind.PART, "file");

  private final RecordStore store;
  private final InstantSource clock;
  private final LongUnaryOperator random;
  private final Later later;

  /** Changes that are not noted yet. */
  private final ArrayDeque<Change> waiting = new ArrayDeque<>();

  /** Whether the thread has been told. */
  private boolean isScheduled;

  private long spreadMs = SPREAD_MS;
  private long lost;

  /** Runs something on a thread that may wait for the store. */
  interface Later {
    void run(Runnable task, long delayMs);
  }

  /**
   * A change of the rules.
   *
   * @param digest of the rules after it.
   */
  private record Change(Instant at, String digest) {
    String reason(String sidecar) {
      return "rules changed at " + at + end(sidecar);
    }

    /** The end of the reason of a change to these rules by a sidecar. */
    String end(String sidecar) {
      return (sidecar.isEmpty() ? "" : " on sidecar " + sidecar) + ", digest " + digest;
    }
  }

  /**
   * @param random a number from 0, and less than what it is given.
   */
  ReloadNotes(RecordStore store, InstantSource clock, LongUnaryOperator random, Later later) {
    this.store = store;
    this.clock = clock;
    this.random = random;
    this.later = later;
  }

  /**
   * Notes a change that was made now. Any thread; waits for nothing.
   *
   * @param digest of the rules after it.
   */
  synchronized void add(String digest) {
    waiting.add(new Change(clock.instant(), digest));
    if (waiting.size() > MOST) {
      waiting.remove();
      lost++;
    }
    if (!isScheduled) {
      isScheduled = true;
      spreadMs = SPREAD_MS;
      later.run(this::note, random.applyAsLong(spreadMs));
    }
  }

  /** How many changes will never be noted. */
  synchronized long lostCount() {
    return lost;
  }

  private void note() {
    for (Change change = next(); change != null; change = next()) {
      try {
        String sidecar = store.sidecar();
        String reason = change.reason(sidecar);
        if (sidecar.isEmpty() || !isNoted(change, sidecar, reason)) {
          store.note(ACTION, FILE, new Author(NAME, "", "", reason));
        }
      } catch (RecordStoreException away) {
        spreadMs = Math.min(2 * spreadMs, MOST_SPREAD_MS);
        later.run(this::note, random.applyAsLong(spreadMs));
        return;
      }
      noted(change);
    }
  }

  /**
   * Whether the audit has an entry of this change, by an earlier try whose answer was lost; or the
   * same of another sidecar. For the last change that is the newest entry only: the audit ends with
   * the rules in use.
   */
  private boolean isNoted(Change change, String sidecar, String reason)
      throws RecordStoreException {
    AuditQuery query =
        new AuditQuery(change.at.minus(STANDS), null, NAME, null, null, MOST_ENTRIES);
    List<AuditEntry> entries =
        store.audit(query).entries().stream()
            .filter(entry -> entry.action().equals(ACTION) && entry.author().from().isEmpty())
            .toList();
    boolean isLast = isLast(change);
    for (int i = 0; i < entries.size(); i++) {
      String found = entries.get(i).author().reason();
      boolean mayStand = i == 0 || !isLast && !entries.get(i).at().isBefore(change.at);
      boolean isOfOther =
          found.endsWith(", digest " + change.digest) && !found.endsWith(change.end(sidecar));
      if (found.equals(reason) || mayStand && isOfOther) {
        return true;
      }
    }
    return false;
  }

  private synchronized boolean isLast(Change change) {
    return change == waiting.peekLast();
  }

  /** The next one to be noted; null if none is left, and the thread is not told any more. */
  private synchronized Change next() {
    isScheduled = !waiting.isEmpty();
    return waiting.peek();
  }

  private synchronized void noted(Change change) {
    if (change == waiting.peek()) { // else it was given up meanwhile
      waiting.remove();
    }
  }
}
