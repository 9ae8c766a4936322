package dev.weir.proxy.rule;

import java.time.ZoneId;

/**
 * One limit of a rule as somebody wrote it, whose budgets it counts, and who decides on them.
 *
 * @param limit without a rate if there is no limit.
 * @param onStoreFailure null if not given, then {@link OnStoreFailure#LOCAL_SHARE}.
 */
public record BudgetSpec(KeySpec key, LimitSpec limit, Mode mode, OnStoreFailure onStoreFailure) {
  /** What happens while the store gives no decision. */
  OnStoreFailure onStoreFailureOrDefault() {
    return onStoreFailure == null ? OnStoreFailure.LOCAL_SHARE : onStoreFailure;
  }

  /**
   * What sets the budget apart from others that one identity has under a rule: the algorithm and
   * the window, such as {@code gcra-1m}. The limit has a rate.
   */
  String name() {
    return limit.algorithm() + "-" + limit.rate().window();
  }

  /** Whether it has the key and the name of another. */
  boolean isNamedAs(BudgetSpec other) {
    return key.equals(other.key) && name().equals(other.name());
  }

  /**
   * The key and the limit. What decides on it is the rule's as a rule, and sidecars compare such
   * texts with those of versions that knew no other: {@link RuleSpec#ownDecisions}.
   */
  @Override
  public String toString() {
    return "BudgetSpec[key=" + key + ", limit=" + limit + "]";
  }

  /** Starts from the defaults. Each setter returns the builder. */
  public static final class Builder {
    private KeySpec key;
    private Mode mode;
    private OnStoreFailure onStoreFailure;
    private Algorithm algorithm = Algorithm.GCRA;
    private Rate rate;
    private long burst;
    private Overflow overflow;
    private long maxWaitNs;
    private Alignment align;
    private ZoneId zone;
    private long subWindowNs;

    /** Unless it is said, the key is the rule's. */
    public Builder key(KeySpec key) {
      this.key = key;
      return this;
    }

    /** Unless it is said, the mode is the rule's. */
    public Builder mode(Mode mode) {
      this.mode = mode;
      return this;
    }

    /** Unless it is said, it is as the rule says. */
    public Builder onStoreFailure(OnStoreFailure onStoreFailure) {
      this.onStoreFailure = onStoreFailure;
      return this;
    }

    public Builder algorithm(Algorithm algorithm) {
      this.algorithm = algorithm;
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

    BudgetSpec build(KeySpec keyOfRule, Mode modeOfRule, OnStoreFailure onFailureOfRule) {
      return new BudgetSpec(
          key == null ? keyOfRule : key,
          new LimitSpec(algorithm, rate, burst, overflow, maxWaitNs, align, zone, subWindowNs),
          mode == null ? modeOfRule : mode,
          onStoreFailure == null ? onFailureOfRule : onStoreFailure);
    }
  }
}
