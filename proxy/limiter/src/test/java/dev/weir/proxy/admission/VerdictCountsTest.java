package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.RuleCounters.Outcome;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class VerdictCountsTest {
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final VerdictCounts counts = new VerdictCounts(metrics);

  private long count(RefusalReason reason, boolean dryRun, Outcome outcome) {
    RuleSpec spec = RuleSpec.builder("r").rate(Rate.parse("1/1s")).dryRun(dryRun).build();
    RuleSet rules = RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0);
    counts.use(rules);
    Rule rule = rules.rules().get(0);
    Verdict refused = new Verdict().refuse(reason);
    counts.count(Purpose.TRAFFIC, rule, counts.of(Purpose.TRAFFIC, rule), refused);
    return metrics.rule("r").count(outcome);
  }

  /** No limit has refused it, also if no key is known or too many bad tokens came. */
  @ParameterizedTest
  @EnumSource(
      mode = Mode.MATCH_ANY,
      names = {"TOKEN_.*", ".*_TOKENS", "IDENTITY_.*"})
  void aTokenThatIsNotAcceptedIsNoIdentity(RefusalReason reason) {
    assertEquals(1, count(reason, false, Outcome.IDENTITY_REFUSED));
    assertEquals(1, count(reason, true, Outcome.DRY_RUN_REFUSED));
    assertEquals(0, metrics.rule("r").count(Outcome.REFUSED));
  }
}
