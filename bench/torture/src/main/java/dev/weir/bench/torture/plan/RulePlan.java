package dev.weir.bench.torture.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One rule, for all requests below its path.
 *
 * @param number tells it from the others, whatever is left out.
 * @param envoy whether it stands in a file of Envoy's descriptors, and not among the rules; its one
 *     limit counts by fixed windows.
 * @param onStoreFailure means nothing in mode local.
 */
public record RulePlan(
    int number,
    Mode mode,
    List<LimitPlan> limits,
    int cost,
    OnStoreFailure onStoreFailure,
    boolean dryRun,
    boolean envoy) {

  /** Who decides. */
  public enum Mode {
    LOCAL,
    EXACT,
    LEASED
  }

  /** What decides while the store does not. */
  public enum OnStoreFailure {
    LOCAL_SHARE,
    OPEN,
    CLOSED;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  public boolean needsStore() {
    return mode != Mode.LOCAL;
  }

  public String id() {
    return "r" + number;
  }

  /** What the paths of its requests begin with. */
  public String path() {
    return "/r" + number + "/";
  }

  RulePlan withLimits(List<LimitPlan> others) {
    return new RulePlan(number, mode, others, cost, onStoreFailure, dryRun, envoy);
  }

  RulePlan withMode(Mode other) {
    return new RulePlan(number, other, limits, cost, onStoreFailure, dryRun, envoy);
  }

  RulePlan withCost(int other) {
    return new RulePlan(number, mode, limits, other, onStoreFailure, dryRun, envoy);
  }

  RulePlan withOnStoreFailure(OnStoreFailure other) {
    return new RulePlan(number, mode, limits, cost, other, dryRun, envoy);
  }

  RulePlan withDryRun(boolean other) {
    return new RulePlan(number, mode, limits, cost, onStoreFailure, other, envoy);
  }

  /** As a file of Envoy's descriptors: an entry within the other for each part of the key. */
  public String envoyYaml() {
    final LimitPlan limit = limits.get(0);
    final StringBuilder text = new StringBuilder("domain: " + id() + "\n");
    text.append("weir: {mode: ").append(mode.name().toLowerCase(Locale.ROOT)).append("}\n");
    String indent = "";
    for (int part : limit.key()) {
      text.append(indent).append("descriptors:\n");
      text.append(indent).append("  - key: ").append(LimitPlan.FIELDS.get(part)).append('\n');
      indent += "    ";
      if (limit.count() % 2 == 0) {
        // Any value is counted by itself, as without this line.
        text.append(indent).append("value: \"**\"\n");
      }
    }
    final String unit =
        switch ((int) limit.windowMs()) {
          case 1_000 -> "second";
          case 60_000 -> "minute";
          default -> "hour";
        };
    return text.append(indent)
        .append("rate_limit: {unit: %s, requests_per_unit: %d}%n".formatted(unit, limit.count()))
        .toString();
  }

  /** As an item of {@code rules}. */
  public String yaml() {
    final List<String> lines = new ArrayList<>();
    lines.add("  - id: " + id());
    lines.add("    match: {path: " + path() + "**}");
    lines.add("    mode: " + mode.name().toLowerCase(Locale.ROOT));
    if (needsStore()) {
      lines.add("    on-store-failure: " + onStoreFailure);
    }
    if (cost > 1) {
      lines.add("    cost: " + cost);
    }
    if (dryRun) {
      lines.add("    dry-run: true");
    }
    lines.add("    limits:");
    limits.forEach(limit -> lines.add("      - " + limit.yaml()));
    return String.join("\n", lines) + "\n";
  }
}
