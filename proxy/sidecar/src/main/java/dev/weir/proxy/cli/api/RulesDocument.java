package dev.weir.proxy.cli.api;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.StoredRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A set of rules as one document, as the API takes it. */
final class RulesDocument {
  private static final String RULES = "rules";
  private static final int MAX_BYTES = 4 << 20;

  private RulesDocument() {}

  /** The rules of a settings file; its other settings are left out. */
  static String ofFile(Path file) throws ApiFault {
    byte[] content;
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new ApiFault(ExitCode.FAULT, file + ": too large (expected: 4 MiB)");
      }
      content = Files.readAllBytes(file);
    } catch (IOException e) {
      throw new ApiFault(ExitCode.USAGE, file + ": cannot be read: " + e.getMessage());
    }
    Faults faults = Faults.ofFile(file.toString());
    RecordSet set = RecordedRules.ofFile(content, faults);
    if (set == null) {
      throw new ApiFault(ExitCode.FAULT, faults.toString());
    }
    return of(set.records());
  }

  /** The document of some records, in their order. */
  static String of(Collection<StoredRecord> records) throws ApiFault {
    Map<String, Object> document = new LinkedHashMap<>();
    List<Object> rules = new ArrayList<>();
    try {
      for (StoredRecord record : records) {
        Object value = JsonText.read(record.json(), MAX_BYTES);
        if (record.name().kind() == RecordName.Kind.RULE) {
          rules.add(value);
        } else if (!record.name().id().equals(RecordedRules.ORDER)) {
          document.put(record.name().id(), value);
        }
      }
    } catch (BadRecordException bad) {
      throw new ApiFault(ExitCode.FAULT, bad.getMessage());
    }
    document.put(RULES, rules);
    return JsonText.write(document);
  }
}
