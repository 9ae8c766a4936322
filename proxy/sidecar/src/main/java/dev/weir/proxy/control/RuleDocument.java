package dev.weir.proxy.control;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.StoredRecord;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A set of rules as one document of JSON, with the keys of a settings file. */
public final class RuleDocument {
  private RuleDocument() {}

  /** The document of a set, with its rules in their order. */
  public static Map<String, Object> of(RecordSet set) throws BadRecordException {
    Map<String, Object> document = new LinkedHashMap<>();
    for (StoredRecord record : set.records()) {
      String id = record.name().id();
      if (record.name().kind() == Kind.PART && !id.equals(RecordedRules.ORDER)) {
        document.put(id, value(record));
      }
    }
    List<Object> rules = new ArrayList<>();
    for (StoredRecord rule : RecordedRules.rulesOf(set)) {
      rules.add(value(rule));
    }
    document.put(RecordedRules.RULES, rules);
    return document;
  }

  /** The ids of a set's rules, in their order. */
  public static List<String> order(RecordSet set) {
    return RecordedRules.rulesOf(set).stream().map(rule -> rule.name().id()).toList();
  }

  /** The value of one record. */
  public static Object value(StoredRecord record) throws BadRecordException {
    return JsonText.read(record.json(), Integer.MAX_VALUE);
  }
}
