package dev.weir.bench.simulation;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Reads the flags of a command, and notes what is wrong with any of them, to tell all at once. A
 * flag that is wrong has the least value, or another that says nothing.
 */
final class FlagReader {
  final List<String> faults = new ArrayList<>();

  void fault(String flag, BadValueException fault) {
    faults.add(flag + ": " + fault.getMessage());
  }

  /** Reads a flag; what is wrong is noted, and has the fallback's value. */
  <T> T read(String flag, String text, T fallback, Function<String, T> reader) {
    try {
      return reader.apply(text);
    } catch (BadValueException fault) {
      fault(flag, fault);
      return fallback;
    }
  }

  <T> List<T> list(String flag, String text, Function<String, T> reader) {
    return read(
        flag,
        text,
        List.of(),
        several -> Arrays.stream(several.split(",", -1)).map(reader).toList());
  }

  long count(String flag, String text, long least, long most) {
    final String range = most == Long.MAX_VALUE ? " or more" : " to " + most;
    return read(flag, text, least, one -> countIn(one, "a number, " + least + range, least, most));
  }

  static long countIn(String text, String expected, long least, long most) {
    final long count = text.matches("[0-9]{1,18}") ? Long.parseLong(text) : -1;
    if (count < least || count > most) {
      throw new BadValueException(text, expected);
    }
    return count;
  }

  double number(String flag, String text, double least, double most) {
    return read(
        flag,
        text,
        least,
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

  /** A duration as rules have it, or in microseconds. */
  long timeNs(String flag, String text, long leastNs, long mostNs, String expected) {
    return read(flag, text, leastNs, one -> timeNs(one, leastNs, mostNs, expected));
  }

  static long timeNs(String text, long leastNs, long mostNs, String expected) {
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
