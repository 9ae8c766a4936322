package dev.weir.proxy.control;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The values of settings by name, as the readers of their rows made them of texts: of those that
 * were given, and else of the defaults that the rows say.
 */
final class SettingValues {
  private final Map<String, Object> values = new HashMap<>();
  private final Map<String, List<Object>> lists = new HashMap<>();
  private final Set<String> given = new HashSet<>();

  /** Starts from the defaults. */
  SettingValues(Iterable<SettingRow<SettingValues>> rows) {
    for (SettingRow<SettingValues> row : rows) {
      if (row.standard() != null) {
        row.reader().accept(this, row.standard());
      }
    }
    given.clear();
  }

  /**
   * @param value null if the setting's text says that there is none.
   */
  void set(String name, Object value) {
    given.add(name);
    values.put(name, value);
  }

  /** Adds an item to a list; the first that is given takes the place of the default. */
  void add(String name, Object item) {
    if (given.add(name)) {
      lists.put(name, new ArrayList<>());
    }
    lists.get(name).add(item);
  }

  /** Whether a value was given that could be read. */
  boolean isGiven(String name) {
    return given.contains(name);
  }

  /** Whether none of the settings of a section was given. */
  boolean hasNoneOf(String prefix) {
    for (String name : given) {
      if (name.startsWith(prefix)) {
        return false;
      }
    }
    return true;
  }

  /** Null if there is neither a value nor a default. */
  <T> T get(String name, Class<T> type) {
    return type.cast(values.get(name));
  }

  /** The items of a list, in the order in which they were given. */
  <T> List<T> list(String name, Class<T> type) {
    List<T> items = new ArrayList<>();
    lists.getOrDefault(name, List.of()).forEach(item -> items.add(type.cast(item)));
    return items;
  }

  /** A list of addresses. */
  AddressListSettings addresses(String name) {
    return AddressListSettings.of(list(name, Object.class));
  }

  String text(String name) {
    return get(name, String.class);
  }

  Path file(String name) {
    return get(name, Path.class);
  }

  boolean isOn(String name) {
    return get(name, Boolean.class);
  }

  int count(String name) {
    return get(name, Integer.class);
  }

  long ns(String name) {
    return get(name, Long.class);
  }
}
