package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import java.util.function.ToIntFunction;

/**
 * Reports settings that are right by themselves and do not fit together, by their names, whether
 * they came from flags or from a file. Of a setting with a known fault nothing more is reported.
 */
final class Misfits {
  private final Faults faults;
  private final String prefix;
  private final ToIntFunction<String> lines;

  private Misfits(Faults faults, String prefix, ToIntFunction<String> lines) {
    this.faults = faults;
    this.prefix = prefix;
    this.lines = lines;
  }

  static Misfits ofFlags(Faults faults) {
    return new Misfits(faults, "--", name -> 0);
  }

  static Misfits ofFile(Faults faults, YamlTree tree) {
    return new Misfits(faults, "", tree::line);
  }

  /** Whether a setting is known to be wrong. */
  boolean isFaulty(String name) {
    return faults.isFaulty(prefix + name);
  }

  /**
   * Takes a misfit.
   *
   * @param name of the setting.
   * @param value of it, as it was found.
   */
  void add(String name, String value, String expected) {
    add(name, new BadValueException(value, expected));
  }

  void add(String name, BadValueException misfit) {
    if (!isFaulty(name)) {
      faults.add(lines.applyAsInt(name), prefix + name, misfit);
    }
  }
}
