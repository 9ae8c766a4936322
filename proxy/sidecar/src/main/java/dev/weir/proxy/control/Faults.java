package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * All faults of settings, so that they are reported together. Warnings are reported too, and stop
 * nothing. Not thread-safe.
 */
public final class Faults {
  /** More are counted and not kept: a file of garbage must not fill the terminal. */
  public static final int MAX_KEPT = 100;

  /** The most of a path that is shown, and of a value. */
  private static final int MAX_PATH_CHARACTERS = 1000;

  private static final int MAX_VALUE_CHARACTERS = 80;

  /**
   * A setting that is wrong, or may be: where it stands, and what was expected.
   *
   * @param file null for flags.
   * @param line from 1; 0 if there is none.
   * @param path such as {@code rules[0].limit} or {@code --limit}; empty for the file as a whole.
   * @param problem the value and what was expected.
   */
  public record Fault(String file, int line, String path, String problem) {
    /** The fault as it is shown: {@code weir.yaml:12: rules[0].limit: 0/1m (expected: ...)}. */
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      if (file != null) {
        text.append(file).append(line > 0 ? ":" + line + ": " : ": ");
      }
      String where = path.isEmpty() ? "" : printable(path, MAX_PATH_CHARACTERS) + ": ";
      return text.append(where).append(problem).toString();
    }
  }

  private final String file;
  private final List<Fault> faults = new ArrayList<>();
  private final List<Fault> warnings = new ArrayList<>();
  private int dropped;

  private Faults(String file) {
    this.file = file;
  }

  /** The faults of a file, named as the user knows it. */
  public static Faults ofFile(String file) {
    return new Faults(file);
  }

  /** The faults of flags on a command line. */
  public static Faults ofFlags() {
    return new Faults(null);
  }

  public void add(int line, String path, BadValueException fault) {
    add(line, path, fault.value(), fault.expected());
  }

  public void add(int line, String path, String value, String expected) {
    add(line, path, printable(value) + " (expected: " + expected + ")");
  }

  public void add(int line, String path, String problem) {
    if (faults.size() == MAX_KEPT) {
      dropped++;
    } else {
      faults.add(new Fault(file, line, path, problem));
    }
  }

  public void warn(int line, String path, String problem) {
    if (warnings.size() < MAX_KEPT) {
      warnings.add(new Fault(file, line, path, "warning: " + problem));
    }
  }

  /** Whether a fault is known at a path, or at a part of it. */
  boolean isFaulty(String path) {
    for (Fault fault : faults) {
      String other = fault.path();
      if (path.startsWith(other)
          && !other.isEmpty()
          && (path.length() == other.length() || ".[".indexOf(path.charAt(other.length())) >= 0)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a fault is known at a path, or within what stands there. */
  boolean isFaultyWithin(String path) {
    return faults.stream()
        .map(Fault::path)
        .anyMatch(
            inner ->
                inner.equals(path) || inner.startsWith(path + ".") || inner.startsWith(path + "["));
  }

  public boolean isEmpty() {
    return faults.isEmpty();
  }

  /** All faults, in the order of their lines. */
  public List<Fault> all() {
    return sorted(faults);
  }

  /** Warnings: what may be a mistake but stops nothing, in the order of the lines. */
  public List<Fault> warnings() {
    return sorted(warnings);
  }

  private static List<Fault> sorted(List<Fault> faults) {
    if (faults.size() < 2) {
      return List.copyOf(faults); // as in every start that succeeds, which loads no streams for it
    }
    return faults.stream().sorted(Comparator.comparingInt(Fault::line)).toList();
  }

  /** A value on one line, cut if it is long, with control characters escaped. */
  public static String printable(String value) {
    return value.isEmpty() ? "\"\"" : printable(value, MAX_VALUE_CHARACTERS);
  }

  private static String printable(String value, int most) {
    StringBuilder text = new StringBuilder();
    value
        .codePoints()
        .limit(most)
        .forEach(
            c -> {
              if (c == '\n') {
                text.append("\\n");
              } else if (Character.isISOControl(c)
                  || Character.getType(c) == Character.FORMAT
                  || !Character.isDefined(c)) {
                text.append(String.format("\\u%04X", c));
              } else {
                text.appendCodePoint(c);
              }
            });
    return value.codePointCount(0, value.length()) > most ? text + "..." : text.toString();
  }

  /** One fault per line. */
  @Override
  public String toString() {
    String text = all().stream().map(Fault::toString).collect(Collectors.joining("\n"));
    return dropped == 0 ? text : text + "\nand " + dropped + " more";
  }
}
