package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The last set of rules that was read, and what has changed since, as far as that is known: then
 * only those records need to be read.
 */
final class RulesCache implements RecordFeed.RuleChanges {
  private RecordVersion head;
  private Map<RecordName, StoredRecord> records;
  private RecordVersion next;
  private final Set<RecordName> changed = new LinkedHashSet<>();

  /** Takes a set that was read. */
  synchronized void read(RecordSet set) {
    head = set.damaged().isEmpty() ? set.head() : null;
    records = new LinkedHashMap<>();
    set.records().forEach(record -> records.put(record.name(), record));
    next = null;
    changed.clear();
  }

  @Override
  public synchronized void changed(RecordVersion from, RecordVersion to, List<RecordName> names) {
    boolean goesOn = names != null && from.equals(next == null ? head : next);
    if (!goesOn) {
      head = null;
      next = null;
      changed.clear();
      return;
    }
    next = to;
    changed.addAll(names);
  }

  /** The records to read; null if all are to be read. */
  synchronized List<RecordName> toRead() {
    return head == null || next == null ? null : new ArrayList<>(changed);
  }

  /**
   * The set with some records replaced.
   *
   * @param found the set's version, with which they were read.
   * @param present those that are there.
   * @return null if all are to be read.
   */
  synchronized RecordSet with(
      RecordVersion found, List<RecordName> asked, List<StoredRecord> present) {
    if (head == null || !found.equals(next) || !asked.containsAll(changed)) {
      return null; // another one has written since
    }
    asked.forEach(records::remove);
    present.forEach(record -> records.put(record.name(), record));
    head = found;
    next = null;
    changed.clear();
    return new RecordSet(head, List.copyOf(records.values()));
  }
}
