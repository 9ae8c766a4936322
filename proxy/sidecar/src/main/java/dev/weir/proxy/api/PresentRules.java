package dev.weir.proxy.api;

import dev.weir.proxy.control.RecordsInUse;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.web.Page;
import java.util.Map;

/**
 * The set of rules as readers get it.
 *
 * @param version its ETag; {@link RecordVersion#NONE} while there is no set in the store.
 * @param staleSeconds for how long the store has been away, if this is the last good copy; else 0.
 */
record PresentRules(RecordSet set, RecordVersion version, long staleSeconds) {
  /**
   * Finds the set: that of the store, the last good one while the store is away, and the file's if
   * there is none. A store that has lost its records leaves the last good set in use.
   *
   * @param records null if none are kept.
   * @param file the rules of the settings file.
   */
  static PresentRules find(RecordsInUse records, RecordSet file) {
    if (records == null) {
      return ofFile(file, 0);
    }
    try {
      return of(records, records.store().rules(), file);
    } catch (RecordStoreException away) {
      RecordSet inUse = records.rules();
      long seconds = awaySeconds(records.store());
      return inUse.isPresent()
          ? new PresentRules(inUse, inUse.head(), seconds)
          : ofFile(file, seconds);
    }
  }

  /** The set that the store has, or what stands for it. */
  static PresentRules of(RecordsInUse records, RecordSet stored, RecordSet file) {
    if (stored.isPresent()) {
      return new PresentRules(stored, stored.head(), 0);
    }
    return isLost(records, stored)
        ? new PresentRules(records.rules(), RecordVersion.NONE, 0)
        : ofFile(file, 0);
  }

  /** Whether the store has lost its records: then the last good ones stay in use. */
  static boolean isLost(RecordsInUse records, RecordSet stored) {
    return stored.head().equals(RecordVersion.NONE) && records.rules().isPresent();
  }

  private static PresentRules ofFile(RecordSet file, long staleSeconds) {
    return new PresentRules(file, RecordVersion.NONE, staleSeconds);
  }

  /** An answer that says if it is of the last good copy. */
  Page told(Page page) {
    return staleSeconds == 0 ? page : page.with(stale(staleSeconds));
  }

  /** The field of an answer that is given without the store. */
  static Map<String, String> stale(RecordStore store) {
    return stale(awaySeconds(store));
  }

  private static Map<String, String> stale(long seconds) {
    return Map.of("Weir-Stale", Long.toString(seconds));
  }

  private static long awaySeconds(RecordStore store) {
    return Math.max(1, store.awaySeconds());
  }
}
