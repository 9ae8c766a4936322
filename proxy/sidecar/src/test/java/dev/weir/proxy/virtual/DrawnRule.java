package dev.weir.proxy.virtual;

import java.util.ArrayList;
import java.util.List;

/**
 * The rule of a sidecar, and what a judge needs to know of it. Some are short, so that units come
 * back within an episode; others last, so that each unit that is charged stays so.
 */
final class DrawnRule {
  /** The names of the fields by which limits know their clients, the first of all rules. */
  static final List<String> FIELDS = List.of("x-user", "x-group", "x-region");

  /** Cells of a ring, and so the most units of a log. */
  static final int RING_CELLS = 16;

  private static final String[] LASTING = {
    "fixed-window", "gcra", "token-bucket", "sliding-counter", "sliding-log", "bucket-ring"
  };

  /** A lease is at most a quarter of what is left. */
  private static final int FEW_UNITS = 3;

  /** The model of a server has so many of them: those with a number only. */
  private static final int IN_STORE = 3;

  private static final String[] SHORT = {
    "limit: 1000/1s",
    "limit: 3/1s",
    "limit: 2/10s\n    algorithm: token-bucket\n    burst: 3",
    "limit: 5/1s\n    algorithm: sliding-log",
    "limit: 20/1s\n    algorithm: leaky-bucket\n    overflow: queue",
    "limit: 4/5s\n    algorithm: fixed-window\n    dry-run: true"
  };

  /** Units of each limit that lasts, each by the next of {@link #FIELDS}; none if it is short. */
  private final List<Integer> units = new ArrayList<>();

  private final String[] algorithms = new String[FIELDS.size()];
  private final boolean usesStore;
  private HeldLimits held;
  private boolean isReversed;

  /** Whether it is of mode leased, or was before a change. */
  private boolean hasLeases;

  private final StringBuilder yaml = new StringBuilder("rules:\n  - id: all\n");

  private DrawnRule(boolean usesStore) {
    this.usesStore = usesStore;
  }

  /** Draws a rule. */
  static DrawnRule draw(boolean usesStore, Choices choices) {
    DrawnRule rule = new DrawnRule(usesStore);
    if (!usesStore && choices.below(2) == 0) {
      rule.yaml.append("    key: header:x-user\n    ").append(SHORT[choices.below(SHORT.length)]);
      return rule;
    }
    int count = choices.of(1, 1, 2, 3);
    for (int i = 0; i < count; i++) {
      String algorithm = LASTING[choices.below(usesStore ? IN_STORE : LASTING.length)];
      int units = choices.of(1_000, 2, 5, 12);
      rule.algorithms[i] = algorithm;
      rule.units.add(algorithm.equals("sliding-log") ? Math.min(units, RING_CELLS) : units);
    }
    rule.write(choices);
    return rule;
  }

  /** Draws a rule whose units requests hold. */
  static DrawnRule drawHeld(boolean usesStore, Choices choices) {
    return new DrawnRule(usesStore).holding(HeldLimits.draw(choices));
  }

  private DrawnRule holding(HeldLimits limits) {
    held = limits;
    if (usesStore) {
      yaml.append("    mode: exact\n    on-store-failure: closed\n");
    }
    yaml.append(limits.yaml());
    return this;
  }

  /** The rule after a change that leaves what was used as it was; another one, if it is short. */
  DrawnRule changed(Choices choices) {
    if (held != null) {
      return new DrawnRule(usesStore).holding(held);
    }
    if (!lasts()) {
      return new DrawnRule(false).shortOne(choices);
    }
    DrawnRule rule = new DrawnRule(usesStore);
    rule.units.addAll(units);
    rule.hasLeases = hasLeases;
    System.arraycopy(algorithms, 0, rule.algorithms, 0, algorithms.length);
    rule.write(choices);
    return rule;
  }

  private DrawnRule shortOne(Choices choices) {
    yaml.append("    key: header:x-user\n    ").append(SHORT[choices.below(SHORT.length)]);
    return this;
  }

  private void write(Choices choices) {
    if (usesStore) {
      boolean isLeased = choices.below(2) == 1;
      hasLeases |= isLeased;
      yaml.append("    mode: ").append(isLeased ? "leased" : "exact");
      yaml.append("\n    on-store-failure: closed\n");
    }
    yaml.append("    limits:\n");
    isReversed = choices.below(2) == 1;
    for (int i = 0; i < units.size(); i++) {
      int limit = isReversed ? units.size() - 1 - i : i;
      limit(units.get(limit) + "/365d", algorithms[limit], FIELDS.get(limit));
    }
    if (choices.below(2) == 1) {
      limit("100000/1h", "fixed-window", FIELDS.get(0)); // which refuses nobody
    }
  }

  private void limit(String rate, String algorithm, String field) {
    yaml.append("      - {limit: ").append(rate).append(", algorithm: ").append(algorithm);
    yaml.append(", key: 'header:").append(field).append("'}\n");
  }

  /** How many limits there are that last. */
  int limitCount() {
    return units.size();
  }

  /** The units of a limit that lasts. */
  int units(int limit) {
    return units.get(limit);
  }

  /** The place of a limit in the rule. */
  int place(int limit) {
    return isReversed ? units.size() - 1 - limit : limit;
  }

  /**
   * The most units that stay charged of so many that a limit got back: a paced one lacks what was
   * earned since, which is less than a unit in all where it lasts, a log takes back the newest
   * only, and leased units whose lease has ended stay used.
   */
  int mostLost(int limit, int givenBack) {
    if (hasLeases) {
      return givenBack;
    }
    return switch (algorithms[limit]) {
      case "gcra", "token-bucket" -> Math.min(1, givenBack);
      case "sliding-log" -> givenBack;
      default -> 0;
    };
  }

  /**
   * Units of a limit that may be left where a request is refused: of so few none is leased, and a
   * key of a paced limit that was to have a lease and got none does not ask for a moment.
   */
  int mostKeptBack(int limit) {
    return hasLeases && isPaced(limit) ? FEW_UNITS : 0;
  }

  private boolean isPaced(int limit) {
    return algorithms[limit].equals("gcra") || algorithms[limit].equals("token-bucket");
  }

  /** The limits whose units requests hold; null if it has none. */
  HeldLimits held() {
    return held;
  }

  /** Whether each unit that is charged stays so. */
  boolean lasts() {
    return !units.isEmpty();
  }

  String yaml() {
    return yaml.append('\n').toString();
  }
}
