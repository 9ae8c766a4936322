package dev.weir.proxy.control;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One value of a settings file and what is in it. How a scalar was written, {@link YamlTree} knows.
 *
 * @param keys of a section, in the order of the file; else empty.
 * @param items of a list; else empty.
 */
record YamlValue(ValueType type, Map<String, YamlValue> keys, List<YamlValue> items) {
  static final YamlValue NOTHING = scalar(ValueType.NOTHING);

  static YamlValue scalar(ValueType type) {
    return new YamlValue(type, Map.of(), List.of());
  }

  /** A section without keys, to be filled. */
  static YamlValue section() {
    return new YamlValue(ValueType.SECTION, new LinkedHashMap<>(), List.of());
  }

  /** A list without items, to be filled. */
  static YamlValue list() {
    return new YamlValue(ValueType.LIST, Map.of(), new ArrayList<>());
  }

  boolean isSection() {
    return type == ValueType.SECTION;
  }

  boolean isList() {
    return type == ValueType.LIST;
  }
}
