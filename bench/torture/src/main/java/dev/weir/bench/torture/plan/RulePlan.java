package dev.weir.bench.torture.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One rule, for all requests below its path; or the limits of all requests.
 *
 * @param number tells it from the others, whatever is left out.
 * @param onStoreFailure means nothing in mode local.
 */
public record RulePlan(
    int number,
    Kind kind,
    Mode mode,
    List<LimitPlan> limits,
    CostPlan cost,
    OnStoreFailure onStoreFailure,
    RuleOptions options) {

  /** The section of the file that the rule stands in. */
  public enum Kind {
    /** Among the rules. */
    OWN,
    /** In the section of the limits of all requests. */
    EVERYWHERE,
    /** In a file of Envoy's descriptors; its one limit counts by fixed windows. */
    ENVOY
  }

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

  public boolean isOwn() {
    return kind == Kind.OWN;
  }

  public String id() {
    return "r" + number;
  }

  /** What the paths of its requests begin with. */
  public String path() {
    return "/r" + number + "/";
  }

  /**
   * The units that a request takes of a limit.
   *
   * @param told what it says itself; 0 for nothing, or if nobody trusts it.
   */
  public long units(LimitPlan limit, int told) {
    return limit.units(kind == Kind.OWN ? cost.unitsOf(told) : 1);
  }

  /**
   * The most that the rule may have one request take, for the smallest limit that it counts for.
   */
  long mostByRule() {
    return limits.stream()
        .filter(limit -> limit.cost() == 0)
        .mapToLong(limit -> Math.min(limit.count(), limit.atOnce()))
        .min()
        .orElse(1);
  }

  public boolean queues() {
    return limits.stream().anyMatch(LimitPlan::queues);
  }

  RulePlan withLimits(List<LimitPlan> others) {
    return new RulePlan(number, kind, mode, others, cost, onStoreFailure, options);
  }

  RulePlan withMode(Mode other) {
    return new RulePlan(number, kind, other, limits, cost, onStoreFailure, options);
  }

  RulePlan withCost(CostPlan other) {
    return new RulePlan(number, kind, mode, limits, other, onStoreFailure, options);
  }

  RulePlan withOnStoreFailure(OnStoreFailure other) {
    return new RulePlan(number, kind, mode, limits, cost, other, options);
  }

  RulePlan withOptions(RuleOptions others) {
    return new RulePlan(number, kind, mode, limits, cost, onStoreFailure, others);
  }

  /** As a file of Envoy's descriptors: an entry within the other for each part of the key. */
  public String envoyYaml() {
    final LimitPlan limit = limits.get(0);
    final StringBuilder text = new StringBuilder("domain: " + id() + "\n");
    text.append("weir: {mode: ").append(mode.name().toLowerCase(Locale.ROOT)).append("}\n");
    String indent = "";
    for (int part : limit.key().parts()) {
      text.append(indent).append("descriptors:\n");
      text.append(indent).append("  - key: ").append(KeyPlan.FIELDS.get(part)).append('\n');
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

  /** The section of settings with the rules, and that of all requests if there is one. */
  public static String yaml(List<RulePlan> rules) {
    final StringBuilder text = new StringBuilder(KeyPlan.identities());
    boolean hasEverywhere = false;
    for (RulePlan rule : rules) {
      if (rule.kind == Kind.EVERYWHERE) {
        hasEverywhere = true;
        text.append("everywhere:\n");
        final String more =
            "mode: %s, ".formatted(rule.modeYaml())
                + (rule.needsStore() ? "on-store-failure: " + rule.onStoreFailure + ", " : "");
        rule.limits.forEach(limit -> text.append("  - ").append(limit.yaml(more)).append('\n'));
      }
    }
    text.append("rules:\n");
    for (RulePlan rule : rules) {
      if (rule.isOwn()) {
        rule.append(text, hasEverywhere);
      }
    }
    return text.toString();
  }

  private String modeYaml() {
    return mode.name().toLowerCase(Locale.ROOT);
  }

  private void append(StringBuilder text, boolean hasEverywhere) {
    final List<String> lines = new ArrayList<>();
    lines.add("match: " + Condition.yaml(path(), options.conditions()));
    lines.add("mode: " + modeYaml());
    if (needsStore()) {
      lines.add("on-store-failure: " + onStoreFailure);
    }
    lines.add("cost: " + cost.yaml());
    if (hasEverywhere && !options.everywhere()) {
      lines.add("everywhere: false");
    }
    lines.addAll(options.yaml());
    if (options.enforcePercent() < 100) {
      lines.add("key: " + limits.get(0).key().yaml()); // whom the part is drawn of
    }
    lines.add("limits:");
    text.append("  - id: ").append(id()).append('\n');
    lines.forEach(line -> text.append("    ").append(line).append('\n'));
    limits.forEach(limit -> text.append("      - ").append(limit.yaml("")).append('\n'));
    if (options.concurrency() > 0) {
      text.append("      - {%s}%n".formatted(slots()));
    }
    if (!options.conditions().isEmpty()) {
      text.append(Condition.decoys(id(), path()));
    }
  }

  private String slots() {
    return "concurrency: " + options.concurrency() + ", key: " + limits.get(0).key().yaml();
  }

  /** One line that says all of it. */
  String text() {
    final StringBuilder text = new StringBuilder();
    append(text, true);
    final String all = text.substring(0, text.indexOf("limits:"));
    return "rule %d: %s, %s %s%s"
        .formatted(
            number,
            kind,
            all.replaceAll("\\s+", " ").replaceFirst(" - id: \\S+ ", ""),
            limits.stream().map(limit -> limit.yaml("")).toList(),
            options.concurrency() > 0 ? ", " + slots() : "");
  }
}
