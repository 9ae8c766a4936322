package dev.weir.proxy.rule.spec;

import dev.weir.proxy.rule.spec.RuleSpec.FaultSink;

/**
 * Whose refusals by a rule take effect: everybody's, those of a part of its identities, or nobody's
 * (a dry run). The requests of all others are decided and counted too, and pass.
 *
 * @param permille the part of the identities, 0 to {@link #EVERYBODY}.
 * @param key of the rule, whose identities are divided.
 */
public record Enforcement(boolean dryRun, int permille, KeySpec key) {
  /** All identities, in thousandths. */
  public static final int EVERYBODY = 1000;

  private static final String FIELD = "enforce";

  /** Whether identities have to be told apart. */
  public boolean isPartial() {
    return !dryRun && permille < EVERYBODY;
  }

  void check(RuleSpec rule, FaultSink sink) {
    if (permille == EVERYBODY) {
      return;
    }
    if (rule.action() != RuleAction.LIMIT) {
      sink.fault(FIELD, text(), "nothing, as the action is " + rule.action());
    } else if (dryRun) {
      sink.fault(FIELD, text(), "nothing, as dry-run is true, which enforces for nobody");
    } else if (key.equals(KeySpec.ALL)) {
      sink.fault(FIELD, text(), "nothing, as all callers are one identity by key: all");
    } else if (rule.budgets().stream().noneMatch(budget -> budget.key().equals(key))) {
      sink.fault(
          FIELD,
          text(),
          "nothing, unless a limit has the rule's key, " + key + ": it tells identities apart");
    }
  }

  private String text() {
    return percent(permille);
  }

  /** A percentage as a file has it. */
  public static String percent(int permille) {
    return permille % 10 == 0 ? permille / 10 + "%" : permille / 10 + "." + permille % 10 + "%";
  }

  /**
   * The text that sidecars compare, also with those of earlier versions, which had dry runs only.
   */
  @Override
  public String toString() {
    return isPartial() ? text() + " of " + key : Boolean.toString(dryRun);
  }
}
