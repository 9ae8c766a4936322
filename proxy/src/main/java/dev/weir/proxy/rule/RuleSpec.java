package dev.weir.proxy.rule;

import dev.weir.proxy.request.FieldName;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A rule as somebody wrote it, in a file or as flags; {@link RuleSet} compiles it.
 *
 * @param methods exact and case-sensitive; none means all.
 * @param rate null unless the action is {@link RuleAction#LIMIT}.
 * @param burst how much may pass at once; 0 if not given, then as much as the rate's count.
 * @param cost units that one request takes; 0 if not given, then 1.
 * @param priority decides between rules whose patterns are equally specific: the highest wins, then
 *     the first in the file.
 */
public record RuleSpec(
    String id,
    PathPattern path,
    List<String> methods,
    KeySpec key,
    Rate rate,
    long burst,
    long cost,
    Algorithm algorithm,
    RuleAction action,
    boolean dryRun,
    OnMissingKey onMissingKey,
    int priority) {
  /** The longest id. */
  public static final int MAX_ID_LENGTH = 64;

  /** Takes note of a fault in one field of a rule. */
  public interface FaultSink {
    /**
     * @param field the field's name in the file, such as {@code limit} or {@code match.methods[0]}.
     */
    void fault(String field, BadValueException fault);
  }

  public RuleSpec {
    methods = List.copyOf(methods);
  }

  public static Builder builder(String id) {
    return new Builder(id);
  }

  /** The burst, or its default; 0 if there is no rate. */
  public long burstOrDefault() {
    return burst != 0 || rate == null ? burst : rate.count();
  }

  public long costOrDefault() {
    return cost == 0 ? 1 : cost;
  }

  /** Reports everything in this rule that cannot be, whether or not it stands alone. */
  public void check(FaultSink sink) {
    if (!id.matches("[A-Za-z0-9][A-Za-z0-9._-]*") || id.length() > MAX_ID_LENGTH) {
      fault(sink, "id", id, "1 to 64 letters, digits, dots, dashes and underscores");
    }
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < methods.size(); i++) {
      String method = methods.get(i);
      if (!FieldName.isToken(method)) {
        fault(sink, "match.methods[" + i + "]", method, "a method such as GET");
      } else if (!seen.add(method)) {
        fault(sink, "match.methods[" + i + "]", method, "each method once");
      }
    }
    if (action == RuleAction.LIMIT) {
      checkLimit(sink);
    } else {
      checkNoLimit(sink);
    }
  }

  private void checkLimit(FaultSink sink) {
    if (rate == null) {
      fault(sink, "limit", "missing", "a rate such as 100/1s, 10/1m, 1000/1h or 1/1d");
      return;
    }
    if (burst < 0) {
      fault(sink, "burst", Long.toString(burst), "1 or more");
      return;
    }
    if (cost < 0) {
      fault(sink, "cost", Long.toString(cost), "1 or more");
    } else if (costOrDefault() > burstOrDefault()) {
      String depth = burst == 0 ? "limit" : "burst";
      fault(
          sink,
          "cost",
          Long.toString(cost),
          "at most the " + depth + ", " + burstOrDefault() + ", or no request ever passes");
    }
    try {
      algorithm.limit(rate, burstOrDefault());
    } catch (IllegalArgumentException tooMuch) {
      fault(
          sink,
          burst == 0 ? "limit" : "burst",
          burst == 0 ? rate.toString() : Long.toString(burst),
          "a budget that comes back whole in less than 9 years");
    }
  }

  private void checkNoLimit(FaultSink sink) {
    String expected = "nothing, as the action is " + action;
    if (rate != null) {
      fault(sink, "limit", rate.toString(), expected);
    }
    if (burst != 0) {
      fault(sink, "burst", Long.toString(burst), expected);
    }
    if (cost != 0) {
      fault(sink, "cost", Long.toString(cost), expected);
    }
  }

  private static void fault(FaultSink sink, String field, String value, String expected) {
    sink.fault(field, new BadValueException(value, expected));
  }

  /** Starts from the defaults. Each setter returns the builder. */
  public static final class Builder {
    private final String id;
    private PathPattern path = PathPattern.ANY;
    private List<String> methods = List.of();
    private KeySpec key = KeySpec.IP;
    private Rate rate;
    private long burst;
    private long cost;
    private Algorithm algorithm = Algorithm.GCRA;
    private RuleAction action = RuleAction.LIMIT;
    private boolean dryRun;
    private OnMissingKey onMissingKey = OnMissingKey.SHARED;
    private int priority;

    private Builder(String id) {
      this.id = id;
    }

    public Builder path(PathPattern path) {
      this.path = path;
      return this;
    }

    public Builder methods(List<String> methods) {
      this.methods = methods;
      return this;
    }

    public Builder key(KeySpec key) {
      this.key = key;
      return this;
    }

    public Builder rate(Rate rate) {
      this.rate = rate;
      return this;
    }

    public Builder burst(long burst) {
      this.burst = burst;
      return this;
    }

    public Builder cost(long cost) {
      this.cost = cost;
      return this;
    }

    public Builder algorithm(Algorithm algorithm) {
      this.algorithm = algorithm;
      return this;
    }

    public Builder action(RuleAction action) {
      this.action = action;
      return this;
    }

    public Builder dryRun(boolean dryRun) {
      this.dryRun = dryRun;
      return this;
    }

    public Builder onMissingKey(OnMissingKey onMissingKey) {
      this.onMissingKey = onMissingKey;
      return this;
    }

    public Builder priority(int priority) {
      this.priority = priority;
      return this;
    }

    public RuleSpec build() {
      return new RuleSpec(
          id,
          path,
          methods,
          key,
          rate,
          burst,
          cost,
          algorithm,
          action,
          dryRun,
          onMissingKey,
          priority);
    }
  }
}
