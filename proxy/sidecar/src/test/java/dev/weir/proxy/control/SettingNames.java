package dev.weir.proxy.control;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The names of all settings, for tests of other packages. */
public final class SettingNames {
  private SettingNames() {}

  /** The default of each setting and of each field of a rule; null if it has none. */
  public static Map<String, String> defaults() {
    Map<String, String> defaults = new HashMap<>();
    Stream.concat(SettingsTable.ALL.stream(), RuleSettingsTable.ALL.stream())
        .forEach(row -> defaults.put(row.name(), row.standard()));
    return defaults;
  }
}
