package dev.weir.proxy.rig;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFlags;
import java.util.HashMap;
import java.util.Map;

/** The settings of a test's sidecar, from flags. */
public final class FlagSettings {
  private FlagSettings() {}

  /**
   * Reads flags.
   *
   * @param usual flags that stand unless they are given otherwise.
   * @param flags a flag, its value, and so on.
   * @throws IllegalArgumentException with all faults of the flags.
   */
  public static Settings of(Map<String, String> usual, String... flags) {
    Map<String, String> all = new HashMap<>(usual);
    for (int i = 0; i < flags.length; i += 2) {
      all.put(flags[i], flags[i + 1]);
    }
    Faults faults = Faults.ofFlags();
    Settings settings = SettingsFlags.read(all, faults);
    if (settings == null) {
      throw new IllegalArgumentException(faults.toString());
    }
    return settings;
  }
}
