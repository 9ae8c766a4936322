package dev.weir.bench.scenario;

import java.util.List;

/**
 * One kind of request.
 *
 * @param path with the query; may hold {@code {key}}, as the fields and the body may.
 * @param body null for none.
 * @param weight its part of the load, beside those of others; more than 0.
 */
public record RequestSpec(
    Target target, String method, String path, List<Field> fields, Body body, double weight) {

  /** The text that stands for the key of a request. */
  public static final String KEY = "{key}";

  /** A text with the key where {@link #KEY} stands. */
  public static String filled(String text, String key) {
    return text.replace(KEY, key);
  }

  public boolean takesKey() {
    return headTakesKey() || body != null && body.takesKey();
  }

  /** Whether their heads do, but for the length of what follows. */
  public boolean headTakesKey() {
    return path.contains(KEY) || fields.stream().anyMatch(field -> field.value().contains(KEY));
  }
}
