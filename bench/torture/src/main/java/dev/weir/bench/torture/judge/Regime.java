package dev.weir.bench.torture.judge;

import dev.weir.bench.torture.plan.RulePlan;
import java.util.List;
import java.util.Optional;

/**
 * Rules, and the time in which a sidecar may decide by them. Two that follow each other overlap
 * while a reload is under way.
 *
 * @param untilNs when the last sidecar had the next rules; {@link Long#MAX_VALUE} of the last.
 */
public record Regime(List<RulePlan> rules, long fromNs, long untilNs) {
  boolean overlaps(long spanFromNs, long spanToNs) {
    return fromNs <= spanToNs && untilNs >= spanFromNs;
  }

  Optional<RulePlan> rule(int number) {
    return rules.stream().filter(rule -> rule.number() == number).findFirst();
  }
}
