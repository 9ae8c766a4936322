package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.RulePlan;
import java.util.List;
import java.util.stream.Stream;

/**
 * Says who is refused under {@code enforce}: an identity that was refused once is of the part that
 * is, whatever sidecar it asks, and no change of an episode takes it out again.
 */
final class Rehearsal {
  private static final int ALL_PERCENT = 100;

  private Rehearsal() {}

  /** Since when the requests of a budget are refused for sure; {@link Long#MAX_VALUE} if never. */
  static long refusesFromNs(Evidence evidence, Budget budget) {
    final List<Integer> parts =
        evidence.regimes().stream()
            .map(regime -> regime.rule(budget.rule()))
            .flatMap(rule -> rule.map(RulePlan::options).stream())
            .map(options -> options.enforcePercent())
            .distinct()
            .toList();
    if (parts.equals(List.of(ALL_PERCENT))) {
      return Long.MIN_VALUE;
    }
    final Stream<Asked> refused =
        budget.uses().stream()
            .map(Budget.Use::asked)
            .filter(asked -> asked.outcome() == Asked.Outcome.REFUSED);
    return parts.size() > 1
        ? refused.mapToLong(Asked::sentNs).min().orElse(Long.MAX_VALUE)
        : refused.mapToLong(any -> Long.MIN_VALUE).min().orElse(Long.MAX_VALUE);
  }
}
