package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.weir.proxy.rule.KeyPart;
import dev.weir.proxy.rule.KeySpec;
import dev.weir.proxy.rule.Mode;
import dev.weir.proxy.rule.PathPattern;
import dev.weir.proxy.rule.Rate;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.RuleSpec;
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

  @Test
  void followsAReload() {
    RuleDigest digest = new RuleDigest(StoreNames.DEFAULT);
    String before = digest.of(set(rule("a")));
    assertNotEquals(before, digest.of(set(rule("b"))));
    assertEquals(before, digest.of(set(rule("a"))));
  }
}
