package dev.weir.proxy.cli;

import dev.weir.proxy.control.SettingRow;
import dev.weir.proxy.wiring.RunArguments;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a command line of {@code weir run} in which nothing wants an explanation: known flags, each
 * with its text. It reads them as {@link RunCommand} does, in a hundredth of the time; whatever may
 * be wrong, a call for help or another command it leaves to that.
 */
public final class PlainArguments {
  private static final String COMMAND = "run";
  private static final String CONFIG = "--config";
  private static final String CONFIG_SHORT = "-c";

  private final Map<String, SettingRow<?>> rows = new HashMap<>();
  private final Map<String, String> texts = new HashMap<>();
  private Path file;

  private PlainArguments() {
    RunFlags.ALL.forEach(row -> rows.put(row.flag(), row));
  }

  /**
   * Reads a whole command line.
   *
   * @return null if somebody else has to read it.
   */
  public static RunArguments read(String[] line) {
    if (line.length == 0 || !line[0].equals(COMMAND)) {
      return null;
    }
    PlainArguments arguments = new PlainArguments();
    for (int i = 1; i < line.length; ) {
      int taken = arguments.take(line, i);
      if (taken == 0) {
        return null;
      }
      i += taken;
    }
    return new RunArguments(arguments.file, arguments.inOrder(), List.of());
  }

  /** Takes the flag at an index and its text; returns how many words these are, 0 for none. */
  private int take(String[] line, int index) {
    String word = line[index];
    int equals = word.indexOf('=');
    if (equals >= 0) {
      return give(word.substring(0, equals), word.substring(equals + 1)) ? 1 : 0;
    }
    boolean hasText = index + 1 < line.length && !line[index + 1].startsWith("-");
    if (hasText) {
      return give(word, line[index + 1]) ? 2 : 0;
    }
    SettingRow<?> row = rows.get(word);
    return row != null && row.kind().bareText() != null && give(word, row.kind().bareText())
        ? 1
        : 0;
  }

  /** Notes a text; false if it is not as plain as it has to be here. */
  private boolean give(String flag, String text) {
    if (text.isEmpty()) {
      return false; // it may be a fault
    }
    if (flag.equals(CONFIG) || flag.equals(CONFIG_SHORT)) {
      return file == null && giveFile(text);
    }
    SettingRow<?> row = rows.get(flag);
    if (row == null || texts.containsKey(flag) && !row.kind().isRepeatable()) {
      return false;
    }
    texts.merge(flag, text, (before, next) -> before + "," + next);
    return true;
  }

  private boolean giveFile(String text) {
    try {
      file = Path.of(text);
      return true;
    } catch (InvalidPathException invalid) {
      return false; // such as letters that the locale does not have
    }
  }

  private Map<String, String> inOrder() {
    Map<String, String> given = new LinkedHashMap<>();
    for (SettingRow<?> row : RunFlags.ALL) {
      String text = texts.get(row.flag());
      if (text != null) {
        given.put(row.flag(), text);
      }
    }
    return given;
  }
}
