package dev.weir.proxy.control;

import java.nio.file.Path;
import java.util.Arrays;

/**
 * One reading of a settings file that is followed.
 *
 * @param content null if it could not be read.
 * @param faults why not; those of what it says are added when it is taken.
 * @param unread why it could not be read, to be compared; empty if it was.
 */
record SettingsReading(byte[] content, Faults faults, String unread) {
  static SettingsReading of(Path path) {
    Faults faults = Faults.ofFile(path.toString());
    byte[] content = SettingsFile.content(path, faults);
    return new SettingsReading(content, faults, faults.toString());
  }

  static boolean isSame(SettingsReading one, SettingsReading other) {
    return one != null
        && other != null
        && Arrays.equals(one.content, other.content)
        && one.unread.equals(other.unread);
  }
}
