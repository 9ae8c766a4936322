package dev.weir.proxy.envoy.importer;

import dev.weir.proxy.envoy.file.DescriptorLimit;
import dev.weir.proxy.envoy.file.DescriptorSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A rule made from the path to one or more limits of a file. */
final class ImportedRule {
  private static final int MAX_LIMITS = 8;

  private final String domain;
  private final List<String> keys = new ArrayList<>();
  private final List<String> limits = new ArrayList<>();
  private String path;
  private String method;
  private String action;
  private boolean isShadow;

  ImportedRule(String domain) {
    this.domain = domain;
  }

  /** Matches a path; returns why it cannot, or null. */
  String path(DescriptorSpec spec) {
    String value = spec.value();
    boolean isTree = value.endsWith("/*");
    String literal = isTree ? value.substring(0, value.length() - 2) : value;
    if (value.isEmpty()) {
      return "a budget of each path: a rule's budgets are of all paths that it matches";
    }
    if (path != null || !value.matches("/[A-Za-z0-9._~/-]*(/\\*)?") || literal.contains("//")) {
      return "a path that no rule matches: a path, or one that ends with /*";
    }
    if (isTree && !spec.sharesThreshold()) {
      return "a budget of each path: share_threshold says that they have one";
    }
    if (literal.endsWith("/") && literal.length() > 1) {
      return "a path that ends with /: rules do not tell it from the one without";
    }
    path = isTree ? literal + "/**" : literal;
    return null;
  }

  /** Matches a method; returns why it cannot, or null. */
  String method(String name) {
    if (method != null || !name.matches("[A-Z]{1,20}")) {
      return "a method that no rule matches";
    }
    method = name;
    return null;
  }

  /** Counts by a part of a key; returns why it cannot, or null. */
  String key(String part) {
    if (keys.contains(part)) {
      return "one source twice in a key";
    }
    keys.add(part);
    return null;
  }

  /** Takes a limit; false if there is no such rule. */
  boolean take(DescriptorLimit limit) {
    isShadow = limit.isShadow();
    boolean isLimited = !limit.isUnlimited() && limit.requestsPerUnit() > 0;
    if (!isLimited) {
      action = limit.isUnlimited() ? "unlimited" : "deny";
      return keys.isEmpty();
    }
    String algorithm =
        limit.options().algorithm() == null
            ? "fixed-window"
            : limit.options().algorithm().toString();
    String mode = limit.options().mode() == null ? "" : ", mode: " + limit.options().mode();
    String burst = limit.options().burst() == 0 ? "" : ", burst: " + limit.options().burst();
    limits.add(
        String.format(
            Locale.ROOT,
            "{limit: %d/%s, key: %s, algorithm: %s%s%s}",
            limit.requestsPerUnit(),
            limit.unit().window(),
            keys.isEmpty()
                ? "all"
                : keys.stream()
                    .map(ImportedRule::quoted)
                    .collect(Collectors.joining(", ", "[", "]")),
            algorithm,
            burst,
            mode));
    return true;
  }

  /** The requests that it matches. */
  String match() {
    return path + " " + method;
  }

  /**
   * Takes over the limits of another rule for the same requests; false if one rule cannot have
   * them.
   */
  boolean join(ImportedRule other) {
    boolean isAlike = action == null && other.action == null && isShadow == other.isShadow;
    if (!isAlike || limits.size() + other.limits.size() > MAX_LIMITS) {
      return false;
    }
    limits.addAll(other.limits);
    return true;
  }

  /** Gives up the limits that it took over last. */
  void leave(ImportedRule other) {
    limits.subList(limits.size() - other.limits.size(), limits.size()).clear();
  }

  /** Whether the store decides on any of its limits. */
  boolean asksStore() {
    return limits.stream().anyMatch(limit -> limit.endsWith("mode: exact}"));
  }

  /** Whether it counts by the client's address. */
  boolean countsAddresses() {
    return keys.contains("ip");
  }

  /** Its id, made of domain, path and method; several rules may have the same. */
  String id() {
    String text = domain + (path == null ? "" : path) + (method == null ? "" : "-" + method);
    String id = text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    String cut = id.length() > 48 ? id.substring(0, 48) : id;
    return cut.isEmpty() ? "imported" : cut;
  }

  /** The path that it matches; empty for every path. */
  String path() {
    return path == null ? "" : path;
  }

  boolean isOfAllMethods() {
    return method == null;
  }

  /** The method that it matches; null for every method. */
  String method() {
    return method;
  }

  /** Whether it matches all requests that another one matches. */
  boolean covers(ImportedRule other) {
    boolean isOfItsMethod = method == null || method.equals(other.method);
    return isOfItsMethod && (path == null || path.equals(other.path) || isAbove(other.path()));
  }

  private boolean isAbove(String other) {
    int root = path.length() - "/**".length();
    return path.endsWith("/**")
        && other.regionMatches(0, path, 0, root)
        && (other.length() == root || other.startsWith("/", root));
  }

  /**
   * Writes it.
   *
   * @param id which no other rule has.
   */
  void write(String id, StringBuilder yaml) {
    yaml.append("  - id: ").append(quoted(id)).append('\n');
    if (path != null || method != null) {
      yaml.append("    match:\n");
      if (path != null) {
        yaml.append("      path: ").append(quoted(path)).append('\n');
      }
      if (method != null) {
        yaml.append("      methods: [").append(quoted(method)).append("]\n");
      }
    }
    if (action != null) {
      yaml.append("    action: ").append(action).append('\n');
    } else {
      yaml.append("    limits:\n");
      limits.forEach(limit -> yaml.append("      - ").append(limit).append('\n'));
    }
    if (isShadow) {
      yaml.append("    dry-run: true\n");
    }
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
