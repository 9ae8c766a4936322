package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.FaultPlan;
import dev.weir.bench.torture.plan.RulePlan;
import java.util.ArrayList;
import java.util.List;

/**
 * A request was refused although its rule says that it never is: under {@code dry-run} or {@code
 * enforce: 0%}, or because it is sent again with the idempotency key of one that passed.
 */
final class PromiseJudge implements Judge {
  @Override
  public List<Finding> judge(Evidence evidence) {
    final Retries retries = new Retries(evidence.asked());
    final List<Finding> findings = new ArrayList<>();
    for (Asked asked : evidence.asked()) {
      final String wrong =
          asked.outcome() == Asked.Outcome.REFUSED ? wrong(evidence, retries, asked) : "";
      if (!wrong.isEmpty()
          && findings.stream().noneMatch(finding -> finding.text().contains(wrong))) {
        findings.add(
            new Finding(
                name(),
                "request %d, %s, of rule %d was refused: %s"
                    .formatted(asked.number(), asked.kind(), asked.rule(), wrong),
                asked.sentNs(),
                asked.answeredNs()));
      }
    }
    return findings;
  }

  private static String wrong(Evidence evidence, Retries retries, Asked asked) {
    final List<RulePlan> versions =
        Budget.versions(evidence, asked.rule(), asked.sentNs(), asked.answeredNs());
    final boolean mayBeByOthers =
        versions.stream().anyMatch(rule -> rule.options().everywhere())
            && !evidence.everywhere().isEmpty();
    if (!mayBeByOthers && versions.stream().allMatch(rule -> rule.options().refusesNobody())) {
      return "it refuses nobody";
    }
    final boolean isKept =
        evidence.happenings().stream()
            .noneMatch(
                happening ->
                    happening.kind().lane() == FaultPlan.Lane.STORE
                        || happening.kind() == FaultPlan.Kind.RULES_CHANGED
                        || happening.rule() == asked.rule());
    return isKept && evidence.passedUndecided() == 0 && retries.isFree(asked)
        ? "it repeats request " + asked.retryOf()
        : "";
  }
}
