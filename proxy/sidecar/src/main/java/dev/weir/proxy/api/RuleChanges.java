package dev.weir.proxy.api;

import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.control.RuleDocument;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StoredRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The difference between two sets of rules, for people, and for the store. */
final class RuleChanges {
  private static final RecordName ORDER = new RecordName(Kind.PART, RecordedRules.ORDER);

  private RuleChanges() {}

  /**
   * What differs, a row for each record. The order is told only if it is not what creations and
   * deletions alone make of it.
   */
  static List<Map<String, Object>> rows(RecordSet before, RecordSet after)
      throws BadRecordException {
    Map<RecordName, Object> from = values(before);
    Map<RecordName, Object> to = values(after);
    List<String> expected = new ArrayList<>(RuleDocument.order(before));
    List<String> order = RuleDocument.order(after);
    expected.retainAll(order);
    order.stream().filter(id -> !expected.contains(id)).forEach(expected::add);
    List<Map<String, Object>> rows = new ArrayList<>();
    Set<RecordName> names = new LinkedHashSet<>(from.keySet());
    names.addAll(to.keySet());
    for (RecordName name : names) {
      if (!Objects.equals(from.get(name), to.get(name))) {
        rows.add(row(name, from.get(name), to.get(name)));
      }
    }
    if (!expected.equals(order)) {
      rows.add(row(ORDER, RuleDocument.order(before), order));
    }
    return rows;
  }

  private static Map<RecordName, Object> values(RecordSet set) throws BadRecordException {
    Map<RecordName, Object> values = new LinkedHashMap<>();
    for (StoredRecord record : set.records()) {
      if (!record.name().equals(ORDER)) {
        values.put(record.name(), RuleDocument.value(record));
      }
    }
    return values;
  }

  private static Map<String, Object> row(RecordName name, Object before, Object after) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("kind", name.kind().name().toLowerCase(Locale.ROOT));
    row.put("id", name.id());
    row.put("action", before == null ? "create" : after == null ? "delete" : "update");
    row.put("before", before);
    row.put("after", after);
    return row;
  }

  /** The writes that make one set of another; damaged records are replaced. */
  static List<RecordWrite> writes(RecordSet before, RecordSet after) {
    Map<RecordName, String> from = new LinkedHashMap<>();
    before.damaged().forEach(name -> from.put(name, ""));
    before.records().forEach(record -> from.put(record.name(), record.json()));
    List<RecordWrite> writes = new ArrayList<>();
    for (StoredRecord record : after.records()) {
      RecordWrite write = new RecordWrite(record.name(), null, record.json());
      if (!write.json().equals(from.remove(record.name()))) {
        writes.add(write);
      }
    }
    from.keySet().forEach(name -> writes.add(new RecordWrite(name, null, null)));
    return writes;
  }
}
