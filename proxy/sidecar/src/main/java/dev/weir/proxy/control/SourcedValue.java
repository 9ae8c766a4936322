package dev.weir.proxy.control;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One value of a settings file that is written anew, and from where it is. A scalar has a text, a
 * section keys, a list items; the others are empty.
 *
 * @param source for a comment; empty for none.
 */
record SourcedValue(
    ValueType type,
    String text,
    Map<String, SourcedValue> keys,
    List<SourcedValue> items,
    String source) {
  private static final String INDENT = "  ";

  /** Takes a value as it stands in a file, with its line. */
  static SourcedValue of(YamlTree tree, String path) {
    YamlValue value = tree.at(path);
    String source = path.isEmpty() ? "" : "line " + tree.line(path);
    SourcedValue taken =
        new SourcedValue(
            value.type(),
            tree.texts().getOrDefault(path, ""),
            new LinkedHashMap<>(),
            new ArrayList<>(),
            source);
    value.keys().keySet().forEach(key -> taken.keys.put(key, of(tree, YamlTree.inner(path, key))));
    for (int i = 0; i < value.items().size(); i++) {
      taken.items.add(of(tree, path + "[" + i + "]"));
    }
    return taken;
  }

  static SourcedValue scalar(ValueType type, String text, String source) {
    return new SourcedValue(type, text, Map.of(), List.of(), source);
  }

  private static SourcedValue section() {
    return new SourcedValue(ValueType.SECTION, "", new LinkedHashMap<>(), new ArrayList<>(), "");
  }

  /** This value from elsewhere. */
  SourcedValue from(String other) {
    return new SourcedValue(type, text, keys, items, other);
  }

  /** Whether it is a section with a value at a path of keys, with dots between them. */
  boolean has(String path) {
    int dot = path.indexOf('.');
    if (dot < 0) {
      return keys.containsKey(path);
    }
    SourcedValue inner = keys.get(path.substring(0, dot));
    return inner != null && inner.has(path.substring(dot + 1));
  }

  /** Sets a value of this section at a path, unless a key on the way is no section. */
  void put(String path, SourcedValue value) {
    int dot = path.indexOf('.');
    if (dot < 0) {
      keys.put(path, value);
      return;
    }
    SourcedValue inner = keys.computeIfAbsent(path.substring(0, dot), key -> section());
    if (inner.type == ValueType.SECTION) {
      inner.put(path.substring(dot + 1), value);
    }
  }

  /** Takes away what stands at a path such as {@code rules[0].limits[1].mode}. */
  void remove(String path) {
    int end = 0;
    while (end < path.length() && path.charAt(end) != '.' && path.charAt(end) != '[') {
      end++;
    }
    SourcedValue inner = keys.get(path.substring(0, end));
    if (inner == null || end == path.length()) {
      keys.remove(path);
      return;
    }
    String rest = path.substring(end);
    if (rest.startsWith("[")) {
      int close = rest.indexOf(']');
      inner = inner.items.get(Integer.parseInt(rest.substring(1, close)));
      rest = rest.substring(close + 1);
    }
    if (rest.startsWith(".")) {
      inner.remove(rest.substring(1));
    }
    if (inner.type == ValueType.SECTION && inner.keys.isEmpty() && inner.source.isEmpty()) {
      keys.remove(path.substring(0, end)); // it had nothing but defaults
    }
  }

  /** Writes the keys of this section, each on a line with its source. */
  void write(StringBuilder out, String indent) {
    keys.forEach((key, value) -> value.write(out, indent, written(ValueType.TEXT, key) + ":"));
  }

  private void write(StringBuilder out, String indent, String before) {
    out.append(indent).append(before);
    if (type == ValueType.SECTION && !keys.isEmpty()) {
      comment(out);
      write(out, indent + INDENT);
    } else if (type == ValueType.LIST && !items.isEmpty()) {
      comment(out);
      items.forEach(item -> item.writeItem(out, indent + INDENT));
    } else {
      String empty = type == ValueType.SECTION ? "{}" : "[]";
      boolean isEmpty = type == ValueType.SECTION || type == ValueType.LIST;
      out.append(' ').append(isEmpty ? empty : written(type, text));
      comment(out);
    }
  }

  private void writeItem(StringBuilder out, String indent) {
    if (type != ValueType.SECTION || keys.isEmpty()) {
      write(out, indent, "-");
      return;
    }
    StringBuilder inner = new StringBuilder();
    write(inner, indent + INDENT);
    inner.setCharAt(indent.length(), '-');
    out.append(inner);
  }

  private void comment(StringBuilder out) {
    if (!source.isEmpty()) {
      out.append(" # ").append(source);
    }
    out.append('\n');
  }

  /** A scalar as YAML has it, which reads as the same type and text. */
  private static String written(ValueType type, String text) {
    if (type == ValueType.NOTHING) {
      return "null";
    }
    boolean isPlain =
        type != ValueType.TEXT
            || text.matches("[A-Za-z0-9/_-][A-Za-z0-9/_.%*{}-]*(:[A-Za-z0-9/_.-]+)*")
                && !text.matches("-|-?[0-9][0-9.eE+-]*|null|true|false|---.*");
    return isPlain ? text : quoted(text);
  }

  private static String quoted(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ' || c >= 0x7F && c < 0xA0 || c == 0x2028 || c == 0x2029 || c == 0xFEFF) {
        quoted.append(String.format("\\u%04x", (int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
