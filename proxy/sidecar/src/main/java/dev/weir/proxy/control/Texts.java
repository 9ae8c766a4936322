package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Single words, numbers, sizes and times, from a file or from flags. */
final class Texts {
  private static final String SIZE = "a size in B, KiB or MiB, such as 32KiB";

  private Texts() {}

  /** A whole number within bounds. */
  static long parseLong(String text, long least, long most) {
    if (!text.matches("-?[0-9]{1,18}")
        || Long.parseLong(text) < least
        || Long.parseLong(text) > most) {
      throw new BadValueException(text, "a whole number from " + least + " to " + most);
    }
    return Long.parseLong(text);
  }

  static int parseInt(String text, int least, int most) {
    return (int) parseLong(text, least, most);
  }

  /** A percentage of at most one decimal, such as {@code 25%} or {@code 12.5%}, in thousandths. */
  static int parsePermille(String text, int least, int most) {
    int permille = -1;
    if (text.matches("[0-9]{1,3}(\\.[0-9])?%")) {
      String number = text.substring(0, text.length() - 1);
      permille = Integer.parseInt(number.replace(".", "")) * (number.contains(".") ? 1 : 10);
    }
    if (permille < least || permille > most) {
      throw new BadValueException(
          text, "a percentage such as 25% or 12.5%, " + least / 10 + "% to " + most / 10 + "%");
    }
    return permille;
  }

  /** A size in bytes as people write it: {@code 512B}, {@code 32KiB}, {@code 1MiB}. */
  static int parseBytes(String text, int least, int most) {
    int digits = 0;
    while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
      digits++;
    }
    int shift =
        switch (text.substring(digits)) {
          case "B" -> 0;
          case "KiB" -> 10;
          case "MiB" -> 20;
          default -> throw new BadValueException(text, SIZE);
        };
    if (digits == 0 || digits > 10) {
      throw new BadValueException(text, SIZE);
    }
    long bytes = Long.parseLong(text.substring(0, digits)) << shift;
    if (bytes < least || bytes > most) {
      throw new BadValueException(text, "from " + sizeText(least) + " to " + sizeText(most));
    }
    return (int) bytes;
  }

  private static String sizeText(int bytes) {
    if (bytes % (1 << 20) == 0) {
      return (bytes >> 20) + "MiB";
    }
    return bytes % (1 << 10) == 0 ? (bytes >> 10) + "KiB" : bytes + "B";
  }

  /**
   * A duration within bounds.
   *
   * @param expected the bounds, for a person.
   */
  static long parseNs(String text, long leastNs, long mostNs, String expected) {
    long ns = DurationText.parseNs(text);
    if (ns < leastNs || ns > mostNs) {
      throw new BadValueException(text, expected);
    }
    return ns;
  }

  static boolean parseBoolean(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new BadValueException(text, "true or false");
    };
  }

  /** The one of the values whose text this is. */
  static <T> T parseOneOf(String text, T[] values) {
    for (T value : values) {
      if (value.toString().equals(text)) {
        return value;
      }
    }
    throw new BadValueException(
        text, "one of " + Arrays.stream(values).map(T::toString).collect(Collectors.joining(", ")));
  }

  /** A file's path. Whether there is such a file is seen when it is opened. */
  static Path parseFile(String text) {
    try {
      Path path = Path.of(text);
      if (path.getFileName() != null && !text.isBlank()) {
        return path;
      }
    } catch (InvalidPathException invalid) {
      throw new BadValueException(text, "a file's path");
    }
    throw new BadValueException(text, "a file's path");
  }
}
