package dev.weir.bench.simulation;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Reads the flags of a command, and notes what is wrong with any of them, to tell all at once. A
 * number that is wrong, or not set, is 0.
 */
final class FlagReader {
  final List<String> faults = new ArrayList<>();
  private final CommandSpec spec;

  FlagReader(CommandSpec spec) {
    this.spec = spec;
  }

  /** A flag as it was written, or its default; null if it has none. */
  String text(String flag) {
    return spec.findOption(flag).getValue();
  }

  void fault(String flag, String expected) {
    faults.add(flag + ": " + new BadValueException(text(flag), expected).getMessage());
  }

  /** Reads a flag; the fallback if it is not set, or wrong, which is noted. */
  <T> T read(String flag, T fallback, Function<String, T> reader) {
    final String text = text(flag);
    try {
      return text == null ? fallback : reader.apply(text);
    } catch (BadValueException fault) {
      faults.add(flag + ": " + fault.getMessage());
      return fallback;
    }
  }

  <T> List<T> list(String flag, Function<String, T> reader) {
    return read(
        flag, List.of(), several -> Arrays.stream(several.split(",", -1)).map(reader).toList());
  }

  long count(String flag, long least, long most) {
    final String range = most == Long.MAX_VALUE ? " or more" : " to " + most;
    return read(flag, 0L, one -> countIn(one, "a number, " + least + range, least, most));
  }

  static long countIn(String text, String expected, long least, long most) {
    final long count = text.matches("[0-9]{1,18}") ? Long.parseLong(text) : -1;
    if (count < least || count > most) {
      throw new BadValueException(text, expected);
    }
    return count;
  }

  double number(String flag, double least, double most) {
    return read(
        flag,
        0.0,
        one -> {
          final double number =
              one.matches("[0-9]{1,9}(\\.[0-9]{1,9})?") ? Double.parseDouble(one) : Double.NaN;
          if (number >= least && number <= most) {
            return number;
          }
          throw new BadValueException(one, "a number, " + plain(least) + " to " + plain(most));
        });
  }

  private static String plain(double number) {
    return number == Math.rint(number) ? Long.toString((long) number) : Double.toString(number);
  }

  long timeNs(String flag, long leastNs, long mostNs, String expected) {
    return read(flag, 0L, one -> timeIn(one, expected, leastNs, mostNs));
  }

  /** A duration as rules have it, or in microseconds. */
  static long timeIn(String text, String expected, long leastNs, long mostNs) {
    long ns = -1;
    if (text.matches("[0-9]{1,12}us")) {
      ns = TimeUnit.MICROSECONDS.toNanos(Long.parseLong(text.substring(0, text.length() - 2)));
    } else {
      try {
        ns = DurationText.parseNs(text);
      } catch (BadValueException notOne) {
        // Told below, with what is expected here.
      }
    }
    if (ns < leastNs || ns > mostNs) {
      throw new BadValueException(text, expected);
    }
    return ns;
  }
}
