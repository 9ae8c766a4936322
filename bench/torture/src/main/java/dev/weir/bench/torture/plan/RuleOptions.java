package dev.weir.bench.torture.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * The part of a rule that says whom it applies to and what it does, beside counting.
 *
 * @param conditions that requests fulfil, beside the path; others are denied if there are any.
 * @param dryRun whether nobody is refused, on budgets of its own.
 * @param enforcePercent how many of a hundred identities are refused what is above the limit.
 * @param everywhere whether the limits of all requests apply, too.
 * @param idempotency whether a retried request is charged once.
 * @param warnAtPercent 0 for none.
 * @param refusal what a rule does about those whom it refuses.
 * @param concurrency how many requests of an identity may be in flight; 0 for any number.
 */
public record RuleOptions(
    List<Condition> conditions,
    boolean dryRun,
    int enforcePercent,
    boolean everywhere,
    boolean idempotency,
    int warnAtPercent,
    RefusalPlan refusal,
    int concurrency) {
  /** The options of a rule that says none of them. */
  public static final RuleOptions NONE = new RuleOptions(List.of(), false, 100, false, false, 0);

  /** Options with the standard answer to refusals, and without a ban. */
  public RuleOptions(
      List<Condition> conditions,
      boolean dryRun,
      int enforcePercent,
      boolean everywhere,
      boolean idempotency,
      int warnAtPercent) {
    this(
        conditions,
        dryRun,
        enforcePercent,
        everywhere,
        idempotency,
        warnAtPercent,
        RefusalPlan.NONE,
        0);
  }

  RuleOptions withRefusal(RefusalPlan other) {
    return new RuleOptions(
        conditions,
        dryRun,
        enforcePercent,
        everywhere,
        idempotency,
        warnAtPercent,
        other,
        concurrency);
  }

  RuleOptions withDryRun(boolean other) {
    return new RuleOptions(
        conditions,
        other,
        enforcePercent,
        everywhere,
        idempotency,
        warnAtPercent,
        refusal,
        concurrency);
  }

  RuleOptions withEnforcePercent(int other) {
    return new RuleOptions(
        conditions, dryRun, other, everywhere, idempotency, warnAtPercent, refusal, concurrency);
  }

  RuleOptions withEverywhere(boolean other) {
    return new RuleOptions(
        conditions,
        dryRun,
        enforcePercent,
        other,
        idempotency,
        warnAtPercent,
        refusal,
        concurrency);
  }

  RuleOptions withIdempotency(boolean other) {
    return new RuleOptions(
        conditions, dryRun, enforcePercent, everywhere, other, warnAtPercent, refusal, concurrency);
  }

  RuleOptions withConcurrency(int other) {
    return new RuleOptions(
        conditions, dryRun, enforcePercent, everywhere, idempotency, warnAtPercent, refusal, other);
  }

  /** Whether nobody may be refused by the rule's own limits. */
  public boolean refusesNobody() {
    return dryRun || enforcePercent == 0;
  }

  /** Lines of a rule, without their indentation. */
  List<String> yaml() {
    final List<String> lines = new ArrayList<>();
    if (dryRun) {
      lines.add("dry-run: true");
    }
    if (enforcePercent < 100) {
      lines.add("enforce: " + enforcePercent + "%");
    }
    if (idempotency) {
      lines.add("idempotency: true");
    }
    if (warnAtPercent > 0) {
      lines.add("warn-at: " + warnAtPercent + "%");
    }
    lines.addAll(refusal.yaml());
    return lines;
  }
}
