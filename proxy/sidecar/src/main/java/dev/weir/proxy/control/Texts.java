package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Single words and numbers, from a file or from flags. */
final class Texts {
  private Texts() {}

  /** A whole number within bounds. */
  static long parseLong(String text, long least, long most) {
    if (!text.matches("-?[0-9]{1,18}")
        || Long.parseLong(text) < least
        || Long.parseLong(text) > most) {
      throw new BadValueException(
          text,
          most == Long.MAX_VALUE
              ? "a whole number, " + least + " or more"
              : "a whole number from " + least + " to " + most);
    }
    return Long.parseLong(text);
  }

  static int parseInt(String text, int least, int most) {
    return (int) parseLong(text, least, most);
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
