package dev.weir.proxy.control;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * One setting, or one field of a rule: a row of the tables from which flags, their help and the
 * schema of files are made, and against which the example and the manual are checked.
 *
 * @param name as in a file, the sections around it before it with dots; its flag has two dashes
 *     before that.
 * @param standard the text that stands for it where none is given, read like any other; null if
 *     there is none, or if none can be written down.
 * @param text a sentence for the help, in which {@code %s} stands for the default.
 * @param fileOnly why there is no flag; null if there is one.
 * @param reader reads its text, of a list one item's, into {@code T}; null if {@code fileOnly}.
 * @param <T> what is being built.
 */
public record SettingRow<T>(
    String name,
    SettingKind kind,
    String standard,
    String text,
    String fileOnly,
    BiConsumer<T, String> reader) {
  static <T> SettingRow<T> of(
      String name, SettingKind kind, String standard, String text, BiConsumer<T, String> reader) {
    return new SettingRow<>(name, kind, standard, text, null, reader);
  }

  static <T> SettingRow<T> inFilesOnly(String name, SettingKind kind, String why) {
    return new SettingRow<>(name, kind, null, "", why, null);
  }

  /** A setting whose value, or of a list each item, is what a parser makes of its text. */
  static SettingRow<SettingValues> value(
      String name, SettingKind kind, String standard, String text, Function<String, ?> parser) {
    return kind.isList()
        ? of(name, kind, standard, text, (values, item) -> values.add(name, parser.apply(item)))
        : of(name, kind, standard, text, (values, one) -> values.set(name, parser.apply(one)));
  }

  /** A setting that is one of some words. */
  static SettingRow<SettingValues> word(String name, String standard, String text, Object[] words) {
    return value(name, SettingKind.NAME, standard, text, one -> Texts.parseOneOf(one, words));
  }

  /** A setting that is on or off, and off where it is not given. */
  static SettingRow<SettingValues> toggle(String name, String text) {
    return value(name, SettingKind.SWITCH, "false", text, Texts::parseBoolean);
  }

  /** A setting that is a whole number within bounds. */
  static SettingRow<SettingValues> count(
      String name, String standard, String text, int least, int most) {
    return value(name, SettingKind.COUNT, standard, text, one -> Texts.parseInt(one, least, most));
  }

  /** A setting that names a file or a folder. */
  static SettingRow<SettingValues> file(String name, String text) {
    return value(name, SettingKind.FILE, null, text, Texts::parseFile);
  }

  /** This setting for those who build {@code S}, of which {@code T} is a part. */
  <S> SettingRow<S> within(Function<S, T> part) {
    return new SettingRow<>(
        name,
        kind,
        standard,
        text,
        fileOnly,
        (whole, value) -> reader.accept(part.apply(whole), value));
  }

  /**
   * Reads the setting from a file, if it is there, and notes what is wrong with it.
   *
   * @param prefix of its name in the file.
   */
  void read(YamlTree tree, String prefix, T into) {
    tree.read(prefix + name, value -> reader.accept(into, value));
    if (kind.isReadByItem()) {
      tree.readItems(prefix + name, item -> reader.accept(into, item));
    }
  }

  /** The flag of the setting, two dashes included. */
  public String flag() {
    return "--" + name;
  }

  /** The sentence of the help, with the default in it. */
  public String help() {
    return standard == null ? text : text.replace("%s", standard);
  }

  /** The settings that have a flag, by name, in the order of the alphabet. */
  static <T> Map<String, SettingRow<T>> byName(List<SettingRow<T>> settings) {
    Map<String, SettingRow<T>> byName = new TreeMap<>();
    for (SettingRow<T> setting : settings) {
      if (setting.fileOnly() == null && byName.put(setting.name(), setting) != null) {
        throw new IllegalArgumentException(setting.name() + " (expected: once)");
      }
    }
    return byName;
  }
}
