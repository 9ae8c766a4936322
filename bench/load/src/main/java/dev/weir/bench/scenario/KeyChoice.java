package dev.weir.bench.scenario;

import dev.weir.bench.keys.ZipfKeys;
import dev.weir.proxy.rule.spec.BadValueException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Whose requests these are, and how they are spread over all who make some:
 *
 * <pre>
 * one                  one key
 * uniform:100000       so many, all alike
 * zipf:100000:1.1      so many, by Zipf's law with that exponent
 * hot:100000:50%       so many, of which one has that part of the load and the others are alike
 * file:keys.txt        those of a file, one per line, all alike
 * </pre>
 */
public final class KeyChoice {
  public static final int MOST = 1_000_000;
  private static final long MAX_FILE_BYTES = 64 << 20;
  private static final String EXPECTED = "one, uniform:N, zipf:N:S, hot:N:P% or file:PATH";

  /** Any, but the same in every run: a run can be repeated. */
  private static final long SEED = 0x5EED;

  private static final double NONE_HOT = -1;

  private final String text;
  private final List<String> names;
  private final ZipfKeys zipf;

  /** Negative if no key is hot. */
  private final double hotShare;

  private KeyChoice(String text, List<String> names, ZipfKeys zipf, double hotShare) {
    this.text = text;
    this.names = names;
    this.zipf = zipf;
    this.hotShare = hotShare;
  }

  /**
   * Reads a choice, and the file that it names.
   *
   * @throws BadValueException if it is none, or the file cannot be read.
   */
  public static KeyChoice parse(String text) {
    final String[] parts = text.split(":", -1);
    if (text.startsWith("file:") && text.length() > 5) {
      return new KeyChoice(text, read(text, text.substring(5)), null, NONE_HOT);
    }
    return switch (parts[0] + "/" + parts.length) {
      case "one/1" -> new KeyChoice(text, generated(1), null, NONE_HOT);
      case "uniform/2" -> new KeyChoice(text, generated(count(text, parts[1], 1)), null, NONE_HOT);
      case "zipf/3" -> {
        final int count = count(text, parts[1], 1);
        yield new KeyChoice(
            text, generated(count), new ZipfKeys(count, number(text, parts[2], 0, 10)), NONE_HOT);
      }
      case "hot/3" -> {
        if (!parts[2].endsWith("%")) {
          throw new BadValueException(text, EXPECTED);
        }
        final String percent = parts[2].substring(0, parts[2].length() - 1);
        yield new KeyChoice(
            text, generated(count(text, parts[1], 2)), null, number(text, percent, 0, 100) / 100);
      }
      default -> throw new BadValueException(text, EXPECTED);
    };
  }

  private static List<String> generated(int count) {
    final List<String> names = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      names.add("key-" + i);
    }
    return names;
  }

  private static List<String> read(String text, String path) {
    final List<String> names;
    try {
      final Path file = Path.of(path);
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw new BadValueException(text, "at most " + MAX_FILE_BYTES + " bytes");
      }
      names = new ArrayList<>(Files.readAllLines(file, StandardCharsets.ISO_8859_1));
    } catch (IOException | InvalidPathException e) {
      throw new BadValueException(text, "a file that can be read: " + e);
    }
    names.removeIf(String::isEmpty);
    if (names.isEmpty() || names.size() > MOST) {
      throw new BadValueException(
          text, "1 to " + MOST + " lines that are not empty, found " + names.size());
    }
    for (String name : names) {
      if (!name.matches("[\\x21-\\x7e\\x80-\\xff]+")) {
        throw new BadValueException(text, "keys without blanks or control characters: " + name);
      }
    }
    return names;
  }

  private static int count(String text, String number, int least) {
    if (number.matches("[0-9]{1,7}")) {
      final int count = Integer.parseInt(number);
      if (count >= least && count <= MOST) {
        return count;
      }
    }
    throw new BadValueException(text, least + " to " + MOST + " keys");
  }

  private static double number(String text, String number, double least, double most) {
    if (number.matches("[0-9]{1,3}(\\.[0-9]{1,6})?")) {
      final double value = Double.parseDouble(number);
      if (value >= least && value <= most) {
        return value;
      }
    }
    throw new BadValueException(text, EXPECTED);
  }

  /** All keys, by index: their bytes, each as the character of that number. */
  public List<String> names() {
    return names;
  }

  /**
   * A walk over the keys' indexes, as they shall appear.
   *
   * @param number of the walker: walkers with different ones go different ways.
   */
  public Picker picker(int number) {
    final SplittableRandom random = new SplittableRandom(SEED + number);
    final int count = names.size();
    if (count == 1) {
      return () -> 0;
    }
    if (zipf != null) {
      return () -> zipf.next(random);
    }
    if (hotShare >= 0) {
      return () -> random.nextDouble() < hotShare ? 0 : 1 + random.nextInt(count - 1);
    }
    return () -> random.nextInt(count);
  }

  /** Chooses the key of the next request. Not thread-safe. */
  public interface Picker {
    int next();
  }

  @Override
  public String toString() {
    return text;
  }
}
