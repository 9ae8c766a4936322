package dev.weir.proxy.wiring;

import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;

/**
 * Notes in the audit that the settings file has changed the rules, with the author {@code file}. No
 * reload waits for it: what the store does not take is noted as soon as it does. Of more than
 * {@link #MOST} that wait the oldest are lost, and counted.
 */
final class ReloadNotes {
  static final int MOST = 16;

  /** Milliseconds until the store is tried again. */
  static final long AGAIN_MS = 1_000;

  private static final RecordName FILE = new RecordName(Kind.PART, "file");

  private final RecordStore store;
  private final InstantSource clock;
  private final Later later;

  /** When the rules changed, of the changes that are not noted yet. */
  private final ArrayDeque<Instant> waiting = new ArrayDeque<>();

  /** Whether the thread has been told. */
  private boolean isScheduled;

  private long lost;

  /** Runs something on a thread that may wait for the store. */
  interface Later {
    void run(Runnable task, long delayMs);
  }

  ReloadNotes(RecordStore store, InstantSource clock, Later later) {
    this.store = store;
    this.clock = clock;
    this.later = later;
  }

  /** Notes a change that was made now. Any thread; waits for nothing. */
  synchronized void add() {
    waiting.add(clock.instant());
    if (waiting.size() > MOST) {
      waiting.remove();
      lost++;
    }
    if (!isScheduled) {
      isScheduled = true;
      later.run(this::note, 0);
    }
  }

  /** How many changes will never be noted. */
  synchronized long lostCount() {
    return lost;
  }

  private void note() {
    for (Instant at = next(); at != null; at = next()) {
      try {
        store.note("reload", FILE, new Author("file", "", "", "rules changed at " + at));
      } catch (RecordStoreException away) {
        later.run(this::note, AGAIN_MS);
        return;
      }
      noted(at);
    }
  }

  /** The next one to be noted; null if none is left, and the thread is not told any more. */
  private synchronized Instant next() {
    isScheduled = !waiting.isEmpty();
    return waiting.peek();
  }

  private synchronized void noted(Instant at) {
    if (at.equals(waiting.peek())) { // else it was given up meanwhile
      waiting.remove();
    }
  }
}
