package dev.weir.bench.rule;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.rule.RuleSet;
import java.nio.charset.StandardCharsets;

/** Reads a settings file as a start does. */
final class RuleFile {
  private RuleFile() {}

  /** The rules of a file, compiled. */
  static RuleSet compiled(byte[] content) {
    final Faults faults = Faults.ofFile("weir.yaml");
    final Settings settings = new SettingsFile().read(content, faults);
    if (settings == null) {
      throw new IllegalArgumentException(faults.toString());
    }
    return settings.rules().compile(RuleSet.EMPTY);
  }

  static RuleSet compiled(RuleKind kind, int count) {
    return compiled(kind.file(count).getBytes(StandardCharsets.UTF_8));
  }
}
