package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.spec.Enforcement;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class IdentityPartTest {
  private static Rule rule(String id, int permille) {
    RuleSpec spec = RuleSpec.builder(id).rate(Rate.parse("1/1s")).enforce(permille).build();
    return RuleSet.compile(List.of(spec), false, RuleSet.EMPTY, 0).rules().get(0);
  }

  /** Of the identities u0 to u9999 those for whom refusals take effect. */
  private static Set<Integer> enforced(Rule rule) {
    Set<Integer> enforced = new HashSet<>();
    for (int i = 0; i < 10_000; i++) {
      byte[] identity = ("u" + i).getBytes(StandardCharsets.US_ASCII);
      if (rule.toward(new UnsafeBuffer(identity), identity.length) == rule) {
        enforced.add(i);
      }
    }
    return enforced;
  }

  @Test
  void isAboutAsLargeAsItIsToBe() {
    for (int permille = 1; permille < Enforcement.EVERYBODY; permille += 37) {
      double deviation = Math.sqrt(10 * permille * (1 - permille / 1000.0));
      assertEquals(10 * permille, enforced(rule("r", permille)).size(), 4 * deviation);
    }
    assertEquals(Set.of(), enforced(rule("r", 0)));
  }

  @Test
  void aLargerPartHasAllOfASmallerOne() {
    Set<Integer> before = Set.of();
    for (int permille = 0; permille < Enforcement.EVERYBODY; permille += 27) {
      Set<Integer> now = enforced(rule("r", permille));
      assertTrue(now.containsAll(before), permille + " of 1,000");
      before = now;
    }
  }

  @Test
  void differsBetweenRules() {
    assertNotEquals(enforced(rule("a", 100)), enforced(rule("b", 100)));
  }

  /** A version that finds others here makes clients that were refused pass, and others not. */
  @Test
  void isTheSameInEveryVersion() {
    List<Integer> first = enforced(rule("chat", 5)).stream().sorted().limit(5).toList();
    assertEquals(List.of(21, 148, 362, 387, 561), first);
  }

  @Test
  void everybodyNeedsNoHash() {
    assertFalse(rule("r", Enforcement.EVERYBODY).isEnforcedInPart());
  }
}
