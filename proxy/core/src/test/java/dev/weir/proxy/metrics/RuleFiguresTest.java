package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.metrics.RuleCounters.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RuleFiguresTest {
  private static final Set<Outcome> LIMITS =
      Set.of(Outcome.ALLOWED, Outcome.REFUSED, Outcome.IDENTITY_REFUSED);
  private static final Set<Outcome> DENIES = Set.of(Outcome.DENIED);

  private long nowNs = Long.MAX_VALUE - 5; // clocks of the JVM wrap
  private final Metrics metrics = new Metrics(() -> nowNs);
  private final LoopMetrics one = metrics.newLoop();
  private final LoopMetrics two = metrics.newLoop();

  private void use(Map<String, Set<Outcome>> rules) {
    one.useRules(rules);
    two.useRules(rules);
  }

  private List<String> exposed() {
    return new String(metrics.expose(null).body(), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith("weir_decisions_total{"))
        .map(line -> line.substring("weir_decisions_total".length()))
        .toList();
  }

  @Test
  void showsTheOutcomesOfARulesActionOnly() {
    use(Map.of("a", LIMITS, "b", DENIES));
    assertEquals(
        List.of(
            "{outcome=\"allowed\",rule=\"a\"} 0.0",
            "{outcome=\"denied\",rule=\"b\"} 0.0",
            "{outcome=\"identity_refused\",rule=\"a\"} 0.0",
            "{outcome=\"refused\",rule=\"a\"} 0.0"),
        exposed());
  }

  @Test
  void showsWhatARuleCameToBeforeItsActionChanged() {
    use(Map.of("a", LIMITS));
    one.rule("a").add(Outcome.REFUSED);
    use(Map.of("a", DENIES));
    assertEquals(
        List.of("{outcome=\"denied\",rule=\"a\"} 0.0", "{outcome=\"refused\",rule=\"a\"} 1.0"),
        exposed());
  }

  @Test
  void forgetsTheCountersOfARuleThatIsGoneForAnHour() {
    use(Map.of("a", DENIES));
    one.rule("a").add(Outcome.DENIED);
    two.rule("a").add(Outcome.DENIED);
    use(Map.of());
    nowNs += RuleFigures.KEPT_NS - 1;
    assertEquals(List.of("{outcome=\"denied\",rule=\"a\"} 2.0"), exposed());
    nowNs++;
    assertEquals(List.of(), exposed());
    use(Map.of("a", DENIES));
    assertEquals(List.of("{outcome=\"denied\",rule=\"a\"} 0.0"), exposed());
  }

  @Test
  void aRuleThatComesBackWithinTheHourGoesOn() {
    use(Map.of("a", DENIES));
    one.rule("a").add(Outcome.DENIED);
    use(Map.of());
    nowNs += RuleFigures.KEPT_NS - 1;
    use(Map.of("a", DENIES));
    nowNs += 10 * RuleFigures.KEPT_NS;
    one.rule("a").add(Outcome.DENIED);
    assertEquals(List.of("{outcome=\"denied\",rule=\"a\"} 2.0"), exposed());
  }

  @Test
  void keepsTheCountersOfAllLoopsWhileOneUsesTheRule() {
    use(Map.of("a", DENIES));
    one.rule("a").add(Outcome.DENIED);
    two.rule("a").add(Outcome.DENIED);
    one.useRules(Map.of());
    nowNs += 2 * RuleFigures.KEPT_NS;
    assertEquals(List.of("{outcome=\"denied\",rule=\"a\"} 2.0"), exposed());
  }

  @Test
  void keepsSoManyRulesThatAreGoneAndNoMore() {
    use(Map.of("first", DENIES));
    use(Map.of());
    for (int i = 0; i < RuleFigures.MOST_KEPT; i++) {
      nowNs++;
      use(Map.of("rule" + i, DENIES));
    }
    nowNs++;
    use(Map.of("used", DENIES));
    assertEquals(RuleFigures.MOST_KEPT + 1, metrics.decisions().size());
    assertEquals(false, metrics.decisions().containsKey("first"));
  }
}
