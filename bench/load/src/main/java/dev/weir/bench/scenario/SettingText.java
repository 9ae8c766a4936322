package dev.weir.bench.scenario;

import dev.weir.bench.scenario.Body.FixedBody;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The meanings of settings' texts; a text without one is a {@link BadValueException}. */
final class SettingText {
  private static final long MAX_BODY_BYTES = 64 << 20;

  private SettingText() {}

  static Body fileBody(String text) {
    final Path file = readable(text);
    try {
      if (Files.size(file) > MAX_BODY_BYTES) {
        throw new BadValueException(text, "at most " + MAX_BODY_BYTES + " bytes");
      }
      return new FixedBody(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new BadValueException(text, "a file that can be read: " + e);
    }
  }

  static Path readable(String text) {
    try {
      final Path file = Path.of(text);
      if (Files.isReadable(file) && !Files.isDirectory(file)) {
        return file;
      }
    } catch (InvalidPathException e) {
      // as one that is not there
    }
    throw new BadValueException(text, "a file that can be read");
  }

  static String method(String text) {
    if (!text.matches("[A-Z]{1,20}")) {
      throw new BadValueException(text, "a method such as GET");
    }
    if (text.equals("CONNECT")) {
      throw new BadValueException(text, "a method whose answer ends");
    }
    return text;
  }

  static double positive(String text) {
    final double value = Stages.number(text, 0);
    if (value == 0) {
      throw new BadValueException(text, "more than 0");
    }
    return value;
  }

  /** Nanoseconds, from none to a day. */
  static long zeroOrMore(String text) {
    return text.matches("0(ms|s|m|h|d)?") ? 0 : upToADay(text);
  }

  /** Nanoseconds, from one to a day. */
  static long upToADay(String text) {
    return upTo(text, Stages.LONGEST_NS, "1d");
  }

  /** Nanoseconds, from one to a most that is named so. */
  static long upTo(String text, long mostNs, String most) {
    final long ns = DurationText.parseNs(text);
    if (ns > mostNs) {
      throw new BadValueException(text, "at most " + most);
    }
    return ns;
  }

  static boolean bool(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new BadValueException(text, "true or false");
    }
    return text.equals("true");
  }

  static TransportKind transport(String text) {
    for (TransportKind kind : TransportKind.values()) {
      if (kind.toString().equals(text)) {
        checkAvailable(kind);
        return kind == TransportKind.AUTO ? ClientSettings.usualTransport() : kind;
      }
    }
    throw new BadValueException(
        text,
        Arrays.stream(TransportKind.values())
            .map(TransportKind::toString)
            .collect(Collectors.joining(", ")));
  }

  private static void checkAvailable(TransportKind kind) {
    try {
      Transport.of(kind);
    } catch (IllegalStateException e) {
      throw new BadValueException(kind.toString(), "one that this machine has; " + e.getMessage());
    }
  }

  /** One line without the blanks around it; the fallback for blanks alone. */
  static String oneLine(String text, String fallback) {
    if (text.chars().anyMatch(Character::isISOControl)) {
      throw new BadValueException(text, "one line");
    }
    return text.isBlank() ? fallback : text.strip();
  }
}
