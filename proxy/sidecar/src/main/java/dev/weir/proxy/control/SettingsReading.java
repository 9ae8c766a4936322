package dev.weir.proxy.control;

import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * One reading of a settings file that is followed, and of the files that have parts of it.
 *
 * @param content null if it could not be read.
 * @param faults why not; those of what it says are added when it is taken.
 * @param unread why it could not be read, to be compared; empty if it was.
 * @param parts the files that have parts of it.
 * @param texts what those say, or why they cannot be read, to be compared.
 */
record SettingsReading(
    byte[] content, Faults faults, String unread, List<Path> parts, List<String> texts) {
  /** Reads the settings file alone. */
  static SettingsReading of(Path path) {
    Faults faults = Faults.ofFile(path.toString());
    byte[] content = SettingsFile.content(path, faults);
    return new SettingsReading(content, faults, faults.toString(), List.of(), List.of());
  }

  /**
   * Reads the settings file, and those that have parts of it.
   *
   * @param before an earlier reading, which knows the parts of the same content; null for none.
   */
  static SettingsReading withParts(Path path, SettingsReading before) {
    SettingsReading read = of(path);
    if (read.content == null) {
      return read;
    }
    boolean isKnown = before != null && Arrays.equals(read.content, before.content);
    List<Path> parts = isKnown ? before.parts : SettingsFile.parts(read.content);
    List<String> texts = parts.stream().map(SettingsReading::text).toList();
    return new SettingsReading(read.content, read.faults, read.unread, parts, texts);
  }

  private static String text(Path part) {
    try {
      return new String(SmallFile.read(part, "a file"), StandardCharsets.ISO_8859_1);
    } catch (IOException unreadable) {
      return unreadable.getMessage();
    }
  }

  static boolean isSame(SettingsReading one, SettingsReading other) {
    return one != null
        && other != null
        && Arrays.equals(one.content, other.content)
        && one.unread.equals(other.unread)
        && one.texts.equals(other.texts);
  }
}
