package dev.weir.proxy.rule.spec;

import dev.weir.proxy.rule.spec.RuleSpec.FaultSink;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * When a rule bans an identity, and for how long: {@code ban: {after: 20/15m, for: [15m, 1h]}}.
 *
 * @param after so many refusals within a window, which begins with the first of them; null if not
 *     given.
 * @param forNs how long the first ban lasts, the second, and so on; the last one is that of all
 *     further ones.
 * @param forgetNs how long after its end a ban counts for the length of the next one.
 */
public record BanSpec(Rate after, List<Long> forNs, long forgetNs) {
  /** How long a ban counts unless the file says otherwise. */
  public static final long FORGET_NS = TimeUnit.DAYS.toNanos(1);

  /** The most times that a list may have. */
  public static final int MAX_TIMES = 16;

  /** The shortest ban, window and memory. */
  private static final long LEAST_NS = TimeUnit.SECONDS.toNanos(1);

  private static final long MOST_NS = TimeUnit.DAYS.toNanos(365);

  /** The most refusals that a word counts. */
  public static final int MAX_REFUSALS = (1 << 16) - 1;

  public BanSpec {
    forNs = List.copyOf(forNs);
  }

  /**
   * Parses a duration of a ban.
   *
   * @return nanoseconds.
   */
  public static long parseNs(String text) {
    long ns = DurationText.parseNs(text);
    if (ns < LEAST_NS || ns > MOST_NS) {
      throw new BadValueException(text, "1s to 365d");
    }
    return ns;
  }

  /** Parses the refusals after which a ban begins. */
  public static Rate parseAfter(String text) {
    Rate rate = Rate.parseWhole(text);
    if (rate.count() > MAX_REFUSALS) {
      throw new BadValueException(text, "at most " + MAX_REFUSALS + " refusals");
    }
    if (rate.isMonthly() || rate.windowNs() < LEAST_NS || rate.windowNs() > MOST_NS) {
      throw new BadValueException(text, "count/window, the window 1s to 365d");
    }
    return rate;
  }

  /** Reports what of a rule does not go together with bans. */
  void check(RuleSpec rule, FaultSink sink) {
    if (rule.action() != RuleAction.LIMIT) {
      sink.fault("ban", toString(), "nothing, as the action is " + rule.action());
      return;
    }
    if (rule.onMissingKey() == OnMissingKey.SHARED) {
      sink.fault("on-missing-key", "shared", "ip or refuse, as the rule has a ban");
    }
    boolean hasKey = false;
    for (int i = 0; i < rule.budgets().size(); i++) {
      BudgetSpec budget = rule.budgets().get(i);
      hasKey |= !budget.key().equals(KeySpec.ALL);
      if (budget.limit().overflow() == Overflow.QUEUE) {
        sink.fault(rule.fieldsOf(i) + "overflow", "queue", "reject, as the rule has a ban");
      }
    }
    if (!hasKey) {
      sink.fault("ban", toString(), "a limit with another key than all: nobody bans everybody");
    }
  }

  /** The ban as a file has it, in one line. */
  @Override
  public String toString() {
    String times = forNs.stream().map(DurationText::text).collect(Collectors.joining(", "));
    String forget = forgetNs == FORGET_NS ? "" : ", forget: " + DurationText.text(forgetNs);
    return "{after: " + after + ", for: [" + times + "]" + forget + "}";
  }
}
