package dev.weir.bench.simulation;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Reads the flags of a command, and notes what is wrong with any of them, to tell all at once. */
final class FlagReader {
  private final List<String> faults = new ArrayList<>();

  /** Faults in the order in which flags were read. */
  List<String> faults() {
    return faults;
  }

  /** Reads a flag; null if that cannot be, which is noted. */
  <T> T read(String flag, String text, Function<String, T> reader) {
    try {
      return reader.apply(text);
    } catch (BadValueException fault) {
      fault(flag, fault);
      return null;
    }
  }

  void fault(String flag, BadValueException fault) {
    faults.add(flag + ": " + fault.getMessage());
  }

  /** Reads what commas part. */
  static <T> Function<String, List<T>> list(Function<String, T> reader) {
    return text -> Arrays.stream(text.split(",", -1)).map(reader).toList();
  }

  static long count(String text, long least, long most) {
    String expected = most == Long.MAX_VALUE ? least + " or more" : least + " to " + most;
    return count(text, "a number, " + expected, least, most);
  }

  static long count(String text, String expected, long least, long most) {
    if (!text.matches("[0-9]{1,18}")) {
      throw new BadValueException(text, expected);
    }
    long count = Long.parseLong(text);
    if (count < least || count > most) {
      throw new BadValueException(text, expected);
    }
    return count;
  }

  static double number(String text, double least, double most) {
    String expected = String.format(Locale.ROOT, "a number, %s to %s", plain(least), plain(most));
    if (!text.matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
      throw new BadValueException(text, expected);
    }
    double number = Double.parseDouble(text);
    if (number < least || number > most) {
      throw new BadValueException(text, expected);
    }
    return number;
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  /** A duration as rules have it, or in microseconds; in nanoseconds. */
  static long time(String text, long leastNs, long mostNs, String expected) {
    long ns;
    if (text.matches("[0-9]{1,12}us")) {
      ns = TimeUnit.MICROSECONDS.toNanos(Long.parseLong(text.substring(0, text.length() - 2)));
    } else {
      try {
        ns = DurationText.parseNs(text);
      } catch (BadValueException notOne) {
        throw new BadValueException(text, expected);
      }
    }
    if (ns < leastNs || ns > mostNs) {
      throw new BadValueException(text, expected);
    }
    return ns;
  }
}
