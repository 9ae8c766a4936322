package dev.weir.bench.scenario;

import dev.weir.proxy.rule.spec.BadValueException;
import java.util.List;
import java.util.function.Function;

/** Reads settings one by one, and gathers what is wrong with them. */
final class SettingReader {
  final ScenarioSettings settings;
  final List<String> faults;

  /**
   * @param faults that were found before; more are added.
   */
  SettingReader(ScenarioSettings settings, List<String> faults) {
    this.settings = settings;
    this.faults = faults;
  }

  /** A whole number from 1 to a most. */
  int whole(String name, int fallback, int most) {
    return one(
        name,
        Integer.toString(fallback),
        text -> {
          if (text.matches("[0-9]{1,9}")) {
            final int value = Integer.parseInt(text);
            if (value >= 1 && value <= most) {
              return value;
            }
          }
          throw new BadValueException(text, "a whole number from 1 to " + most);
        });
  }

  /** The value that is set under a name, or else the fallback's. */
  <T> T one(String name, String fallback, Function<String, T> parser) {
    final Setting setting = settings.get(name);
    final T value = setting == null ? null : parsed(setting, parser);
    return value == null ? parser.apply(fallback) : value;
  }

  /** The value that a kind of request has under a name, or else the fallback's. */
  <T> T of(RequestSettings kind, String name, String fallback, Function<String, T> parser) {
    final Setting setting = kind.get(name);
    final T value = setting == null ? null : parsed(setting, parser);
    return value == null ? parser.apply(fallback) : value;
  }

  /** The value of a setting; null, with a fault, if it has none. */
  <T> T parsed(Setting setting, Function<String, T> parser) {
    try {
      return parser.apply(setting.text());
    } catch (BadValueException bad) {
      faults.add(setting.where() + ": " + bad.getMessage());
      return null;
    }
  }
}
