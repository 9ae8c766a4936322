package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RuleDigestTest {
  private static RuleSpec.Builder rule(String id) {
    return RuleSpec.builder(id)
        .path(PathPattern.parse("/" + id))
        .mode(Mode.EXACT)
        .rate(Rate.parse("9/1m"));
  }

  private static RuleSet set(RuleSpec.Builder... rules) {
    List<RuleSpec> specs = List.of(rules).stream().map(RuleSpec.Builder::build).toList();
    return RuleSet.compile(specs, false, RuleSet.EMPTY, 0);
  }

  private static String digest(StoreNames names, RuleSpec.Builder... rules) {
    return new RuleDigest(names).of(set(rules));
  }

  private static String digest(RuleSpec.Builder... rules) {
    return digest(StoreNames.DEFAULT, rules);
  }

  @Test
  void isTheSameForTheSameRulesInAnyOrderWhateverElseThereIs() {
    String both = digest(rule("a"), rule("b"));
    assertEquals(both, digest(rule("b"), rule("a")));
    assertEquals(both, digest(rule("b"), rule("c").mode(Mode.LOCAL), rule("a")));
    assertEquals("", digest(rule("c").mode(Mode.LOCAL)));
    assertEquals("", digest());
  }

  @Test
  void isAnotherOneWhenABudgetIs() {
    String one = digest(rule("a"));
    for (RuleSpec.Builder other :
        List.of(
            rule("b"),
            rule("a").rate(Rate.parse("8/1m")),
            rule("a").key(KeySpec.parse("api-key")),
            rule("a").dryRun(true),
            rule("a").cost(2),
            rule("a").path(PathPattern.parse("/b")))) {
      assertNotEquals(one, digest(other), other.build().toString());
    }
    assertNotEquals(one, digest(new StoreNames("", false, Set.of(), "key"), rule("a")));
    assertNotEquals(one, digest(new StoreNames("", true, Set.of(), ""), rule("a")));
    assertNotEquals(one, digest(new StoreNames("", false, Set.of(KeyPart.IP), ""), rule("a")));
  }

  /** Both are of the versions before limits had modes: while one is rolled out they agree. */
  @Test
  void aLimitThatIsDecidedAsItsRuleSaysChangesNothing() {
    assertEquals("a34ff9f7716c0996", digest(rule("a"), listed("b", limit(), daily())));
  }

  @Test
  void isAnotherOneWhenALimitIsDecidedElsewhereThanItsRuleSays() {
    String one = digest(listed("b", limit(), daily()));
    assertNotEquals(one, digest(listed("b", limit(), daily().mode(Mode.LOCAL))));
    assertNotEquals(one, digest(listed("b", limit().mode(Mode.LOCAL), daily())));
    assertNotEquals(one, digest(listed("b", limit().onStoreFailure(OnStoreFailure.OPEN), daily())));
    assertEquals(one, digest(listed("b", limit().mode(Mode.EXACT), daily())));
  }

  private static RuleSpec.Builder listed(String id, BudgetSpec.Builder... limits) {
    return RuleSpec.builder(id)
        .mode(Mode.EXACT)
        .onStoreFailure(OnStoreFailure.CLOSED)
        .limits(List.of(limits));
  }

  private static BudgetSpec.Builder limit() {
    return new BudgetSpec.Builder().rate(Rate.parse("9/1m"));
  }

  private static BudgetSpec.Builder daily() {
    return new BudgetSpec.Builder()
        .rate(Rate.parse("99/1d"))
        .algorithm(Algorithm.FIXED_WINDOW)
        .key(KeySpec.parse("header:x-user"));
  }

  @Test
  void followsAReload() {
    RuleDigest digest = new RuleDigest(StoreNames.DEFAULT);
    String before = digest.of(set(rule("a")));
    assertNotEquals(before, digest.of(set(rule("b"))));
    assertEquals(before, digest.of(set(rule("a"))));
  }
}
