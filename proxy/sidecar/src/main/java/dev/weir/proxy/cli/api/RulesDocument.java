package dev.weir.proxy.cli.api;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.control.RuleDocument;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A set of rules as one document, as the API takes it. */
final class RulesDocument {
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
    try {
      return JsonText.write(RuleDocument.of(set));
    } catch (BadRecordException bad) {
      throw new ApiFault(ExitCode.FAULT, bad.getMessage());
    }
  }
}
