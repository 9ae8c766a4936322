package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.Enforcement;
import java.nio.file.Path;
import java.util.List;

/**
 * The candidate that is asked what it would decide, beside the rules in use.
 *
 * @param file of settings, of which only the rules count; null for no candidate.
 * @param permille the part of the identities that it is asked about, 1 to 1,000.
 */
public record WhatIfSettings(Path file, int permille) {
  /** No candidate. */
  public static final WhatIfSettings NONE = new WhatIfSettings(null, Enforcement.EVERYBODY);

  static final List<SettingRow<SettingValues>> ROWS =
      List.of(
          SettingRow.file(
              "what-if.file",
              "Settings whose rules decide beside those in use, and take no effect."),
          SettingRow.value(
              "what-if.sample",
              SettingKind.PERCENT,
              "100%",
              "The part of the identities that they decide on (default %s).",
              WhatIfSettings::parseSample));

  static WhatIfSettings build(SettingValues values) {
    return new WhatIfSettings(values.file("what-if.file"), values.count("what-if.sample"));
  }

  /** Parses the part of the identities, such as {@code 10%}. */
  public static int parseSample(String text) {
    return Texts.parsePermille(text, 1, Enforcement.EVERYBODY);
  }

  /** Whether there is a candidate. */
  public boolean isConfigured() {
    return file != null;
  }
}
