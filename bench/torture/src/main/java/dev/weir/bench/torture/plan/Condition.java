package dev.weir.bench.torture.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * A condition of a rule, beside its path. Every request fulfils each of them: so a rule that does
 * not apply has been matched wrongly, and a rule behind it denies.
 */
public enum Condition {
  HOST("", "host", "torture.example.com"),
  HOSTS_BELOW("", "host", "\"*.example.com\""),
  CIDR("", "cidr", "[192.0.2.0/24, 127.0.0.0/8]"),
  EXACT("headers", "x-env", "prod"),
  PREFIX("headers", "x-env", "{prefix: pr}"),
  SUFFIX("headers", "x-env", "{suffix: od}"),
  ONE_OF("headers", "x-env", "[stage, prod]"),
  ABSENT("headers", "x-beta", "{present: false}"),
  QUERY("query", "mode", "fast");

  /** The host of all requests. */
  public static final String REQUESTED_HOST = "torture.example.com";

  /** A field of all requests, and its value. */
  public static final String FIELD = "x-env";

  public static final String FIELD_VALUE = "prod";

  /** A parameter of all requests, and its value. */
  public static final String PARAMETER = "mode";

  public static final String PARAMETER_VALUE = "fast";

  /** The query of all requests, with its question mark. */
  public static final String REQUESTED_QUERY = "?" + PARAMETER + "=" + PARAMETER_VALUE;

  private final String group;
  private final String name;
  private final String value;

  Condition(String group, String name, String value) {
    this.group = group;
    this.name = name;
    this.value = value;
  }

  /** One to three of them, each of something else. */
  static List<Condition> draw(Draw draw) {
    final List<Condition> drawn = new ArrayList<>();
    for (int i = 1 + draw.below(3); i > 0; i--) {
      final Condition next = draw.of(values());
      if (drawn.stream().noneMatch(other -> other.name.equals(next.name))) {
        drawn.add(next);
      }
    }
    return List.copyOf(drawn);
  }

  /** All of {@code match}. */
  static String yaml(String path, List<Condition> conditions) {
    final List<String> parts = new ArrayList<>();
    parts.add("path: " + path + "**");
    parts.addAll(named(conditions, ""));
    for (String group : List.of("headers", "query")) {
      final List<String> named = named(conditions, group);
      if (!named.isEmpty()) {
        parts.add(group + ": {" + String.join(", ", named) + "}");
      }
    }
    return "{" + String.join(", ", parts) + "}";
  }

  private static List<String> named(List<Condition> conditions, String group) {
    return conditions.stream()
        .filter(condition -> condition.group.equals(group))
        .map(condition -> condition.name + ": " + condition.value)
        .toList();
  }

  /** Rules that must never apply to the requests of a rule with conditions. */
  static String decoys(String id, String path) {
    return """
          - {id: %1$s-wrong-field, match: {path: %2$s**, headers: {x-env: test}}, priority: 9, action: deny}
          - {id: %1$s-wrong-host, match: {path: %2$s**, host: example.com}, action: deny}
          - {id: %1$s-skipped, match: {path: %2$s**}, action: deny, priority: -9}
        """
        .formatted(id, path);
  }
}
