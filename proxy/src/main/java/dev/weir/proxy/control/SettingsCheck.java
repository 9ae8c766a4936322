package dev.weir.proxy.control;

import dev.weir.proxy.rule.BadValueException;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** What settings must be together, each being right by itself. */
final class SettingsCheck {
  private SettingsCheck() {}

  /**
   * Reports what does not go together.
   *
   * @param isFaulty whether a setting is already known to be wrong.
   */
  static void check(
      SettingsBuilder builder,
      Predicate<String> isFaulty,
      BiConsumer<String, BadValueException> sink) {
    if (!isFaulty.test("caps.target-bytes")
        && !isFaulty.test("caps.head-bytes")
        && builder.targetBytes() > builder.headBytes()) {
      sink.accept(
          "caps.target-bytes",
          new BadValueException(
              builder.targetBytes() + "B",
              "at most caps.head-bytes, " + builder.headBytes() + "B"));
    }
  }
}
