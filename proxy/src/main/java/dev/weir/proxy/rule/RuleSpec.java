package dev.weir.proxy.rule;

import dev.weir.proxy.request.FieldName;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A rule as somebody wrote it, in a file or as flags; {@link RuleSet} compiles it.
 *
 * @param methods exact and case-sensitive; none means all.
 * @param limit without a rate unless the action is {@link RuleAction#LIMIT}.
 * @param cost units that one request takes; 0 if not given, then 1.
 * @param priority decides between rules whose patterns are equally specific: the highest wins, then
 *     the first in the file.
 * @param onStoreFailure null if not given, then {@link OnStoreFailure#LOCAL_SHARE}. For {@link
 *     Mode#EXACT}.
 */
public record RuleSpec(
    String id,
    PathPattern path,
    List<String> methods,
    KeySpec key,
    LimitSpec limit,
    long cost,
    RuleAction action,
    boolean dryRun,
    OnMissingKey onMissingKey,
    int priority,
    Mode mode,
    OnStoreFailure onStoreFailure) {
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

  public long costOrDefault() {
    return cost == 0 ? 1 : cost;
  }

  /** Cells that a table must have for each key of this rule; 0 if its limit keeps no ring. */
  public int ringCells() {
    return action == RuleAction.LIMIT ? limit.cells() : 0;
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
    if (onStoreFailure != null && mode != Mode.EXACT) {
      fault(sink, "on-store-failure", onStoreFailure.toString(), "nothing, unless mode is exact");
    }
  }

  /** Whether the store decides on the rule's budgets. */
  public boolean asksStore() {
    return action == RuleAction.LIMIT && mode == Mode.EXACT;
  }

  /** What happens while the store gives no decision. */
  public OnStoreFailure onStoreFailureOrDefault() {
    return onStoreFailure == null ? OnStoreFailure.LOCAL_SHARE : onStoreFailure;
  }

  private void checkLimit(FaultSink sink) {
    limit.check(sink);
    if (mode == Mode.EXACT) {
      limit.checkForStore(sink);
    }
    if (cost < 0) {
      fault(sink, "cost", Long.toString(cost), "1 or more");
    } else if (limit.rate() != null && limit.burst() >= 0 && costOrDefault() > limit.capacity()) {
      String depth = limit.burst() == 0 ? "limit" : "burst";
      fault(
          sink,
          "cost",
          Long.toString(cost),
          "at most the " + depth + ", " + limit.capacity() + ", or no request ever passes");
    }
  }

  private void checkNoLimit(FaultSink sink) {
    String expected = "nothing, as the action is " + action;
    limit.given().forEach((field, value) -> fault(sink, field, value, expected));
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
    private Algorithm algorithm = Algorithm.GCRA;
    private Rate rate;
    private long burst;
    private Overflow overflow;
    private long maxWaitNs;
    private Alignment align;
    private ZoneId zone;
    private long subWindowNs;
    private long cost;
    private RuleAction action = RuleAction.LIMIT;
    private boolean dryRun;
    private OnMissingKey onMissingKey = OnMissingKey.SHARED;
    private int priority;
    private Mode mode = Mode.LOCAL;
    private OnStoreFailure onStoreFailure;

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

    public Builder overflow(Overflow overflow) {
      this.overflow = overflow;
      return this;
    }

    public Builder maxWaitNs(long maxWaitNs) {
      this.maxWaitNs = maxWaitNs;
      return this;
    }

    public Builder align(Alignment align) {
      this.align = align;
      return this;
    }

    public Builder zone(ZoneId zone) {
      this.zone = zone;
      return this;
    }

    public Builder subWindowNs(long subWindowNs) {
      this.subWindowNs = subWindowNs;
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

    public Builder mode(Mode mode) {
      this.mode = mode;
      return this;
    }

    public Builder onStoreFailure(OnStoreFailure onStoreFailure) {
      this.onStoreFailure = onStoreFailure;
      return this;
    }

    public RuleSpec build() {
      return new RuleSpec(
          id,
          path,
          methods,
          key,
          new LimitSpec(algorithm, rate, burst, overflow, maxWaitNs, align, zone, subWindowNs),
          cost,
          action,
          dryRun,
          onMissingKey,
          priority,
          mode,
          onStoreFailure);
    }
  }
}
