package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Limit;
import dev.weir.algorithms.adaptive.AdaptiveLimit;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Limits of requests in flight that find their number. */
class AdaptiveRuleTest {
  private static final KeySpec USER = KeySpec.parse("header:x-user-id");

  private static RuleSpec rule(Consumer<RuleSpec.Builder> change) {
    RuleSpec.Builder builder = RuleSpec.builder("r");
    change.accept(builder);
    return builder.build();
  }

  private static RuleSet set(RuleSet previous, RuleSpec rule) {
    return RuleSet.compile(List.of(rule), null, false, previous, 0, 0);
  }

  private static Budget only(RuleSet set) {
    return set.rules().get(0).budgets().get(0);
  }

  private static List<String> faults(RuleSpec rule) {
    List<String> faults = new ArrayList<>();
    rule.check((field, fault) -> faults.add(field + ": " + fault.getMessage()));
    return faults;
  }

  @Test
  void itIsOfAllCallersAndDecidedHereWhateverTheRuleSays() {
    Rule rule =
        set(
                RuleSet.EMPTY,
                rule(b -> b.key(USER).rate(Rate.parse("60/1m")).mode(Mode.EXACT).adaptive(10, 500)))
            .rules()
            .get(0);
    assertEquals(List.of(), faults(rule.spec()));
    Budget service = rule.budgets().get(1);
    assertEquals(KeySpec.ALL, service.spec().key());
    assertEquals(Mode.LOCAL, service.spec().mode());
    assertTrue(service.holds());
    assertEquals(500, service.policy().quota());
    assertEquals(10, service.limit().capacity());
    assertEquals(Mode.EXACT, rule.budgets().get(0).spec().mode());
  }

  @Test
  void readsWhetherTheServiceHasDroppedARequest() {
    Rule rule = set(RuleSet.EMPTY, rule(b -> b.adaptive(10, 500))).rules().get(0);
    ReportedCost dropped = ReportedCost.ofStatus(List.of(503), List.of(GrpcStatus.UNAVAILABLE));
    assertEquals(List.of(dropped), List.of(rule.reportedCosts()));
    assertEquals(0, rule.reportedCost(0));
  }

  @Test
  void aReloadKeepsWhatWasFound() {
    RuleSet first = set(RuleSet.EMPTY, rule(b -> b.adaptive(10, 500)));
    AdaptiveLimit number = only(first).limit().adaptive();
    for (int i = 0; i < 10; i++) {
      number.answered(20_000_000, 10, 1_000_000_000L * (i + 1));
    }
    assertEquals(15, number.limit());
    RuleSet same = set(first, rule(b -> b.priority(3).adaptive(10, 500)));
    assertSame(only(first).limit(), only(same).limit());
    Budget wider = only(set(same, rule(b -> b.adaptive(5, 600))));
    assertNotSame(number, wider.limit().adaptive());
    assertEquals(15, wider.limit().capacity());
    assertEquals(600, wider.limit().adaptive().max());
    assertEquals(only(first).seed(), wider.seed(), "what is in flight is counted on");
  }

  @Test
  void itIsNotDividedByTheSidecars() {
    RuleSet set = set(RuleSet.EMPTY, rule(b -> b.share(Share.AUTO).adaptive(10, 500)));
    Limit whole = only(set).limit();
    new Shares().follow(set);
    Shares shares = new Shares();
    shares.divideBy(4, 3);
    shares.follow(set);
    assertSame(whole, only(set).share());
  }

  @Test
  void whatElseItIsSaidToBeIsAFault() {
    String why = ", as the number is found for the service behind this sidecar)";
    assertEquals(
        List.of("mode: exact (expected: local or nothing" + why),
        faults(rule(b -> b.mode(Mode.EXACT).adaptive(10, 500))));
    assertEquals(
        List.of("key: header:x-user-id (expected: all or nothing" + why),
        faults(rule(b -> b.key(USER).adaptive(10, 500))));
    assertEquals(
        List.of(
            "limits[1].key: header:x-user-id (expected: all or nothing" + why,
            "limits[1].mode: exact (expected: local or nothing" + why),
        faults(
            rule(
                b ->
                    b.limits(
                        List.of(
                            new BudgetSpec.Builder().rate(Rate.parse("1/1s")),
                            new BudgetSpec.Builder()
                                .name("service")
                                .key(USER)
                                .mode(Mode.EXACT)
                                .adaptive(1, 2))))));
    assertFalse(
        faults(rule(b -> b.adaptive(10, 500))).iterator().hasNext(), "nothing else is needed");
  }
}
