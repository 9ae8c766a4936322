package dev.weir.proxy.metrics;

import java.util.Locale;

/** Label values from constants. */
final class LabelText {
  private LabelText() {}

  /** The constant's name in lower case. */
  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
