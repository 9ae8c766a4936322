package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.HostPattern;
import dev.weir.proxy.rule.spec.IdentityNames;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import dev.weir.proxy.rule.spec.ValueCondition;
import dev.weir.proxy.rule.spec.ValueCondition.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
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
  void isAnotherOneWhenOtherRequestsShareABudget() {
    List<RuleSpec.Builder> rules = new ArrayList<>();
    rules.add(rule("a"));
    for (String host : List.of("a.example.com", "*.example.com")) {
      rules.add(rule("a"));
      last(rules).match().host(HostPattern.parse(host));
    }
    for (String part : List.of("header:x-env", "query:env")) {
      for (ValueCondition test :
          List.of(ValueCondition.PRESENT, ValueCondition.of(Kind.EXACT, "a"))) {
        rules.add(rule("a"));
        last(rules).match().field(new FieldCondition(KeyPart.parse(part), List.of(test)));
      }
    }
    for (String network : List.of("192.0.2.0/24", "192.0.2.0/25")) {
      rules.add(rule("a"));
      last(rules).match().cidr(List.of(Cidr.parse(network)));
    }
    rules.add(rule("a").key(firstOf("header:x-user")));
    rules.add(rule("a").key(firstOf("cookie:uid", "header:x-user")));
    assertAllDiffer(rules);
  }

  @Test
  void isAnotherOneWhenTheSameRequestIsDecidedOtherwise() {
    List<RuleSpec.Builder> rules = new ArrayList<>();
    rules.add(rule("a"));
    rules.add(rule("a").name("n"));
    rules.add(rule("a").everywhere(List.of()));
    rules.add(rule("a").everywhere(List.of("n")));
    rules.add(rule("a").idempotency(true));
    rules.add(rule("a").enforce(100));
    rules.add(rule("a").enforce(200));
    rules.add(rule("a").cost(CostSpec.ofRequestBytes(1024, 1)));
    rules.add(rule("a").algorithm(Algorithm.TOKEN_BUCKET));
    rules.add(rule("a").algorithm(Algorithm.TOKEN_BUCKET).rate(Rate.parse("9.5/1m")));
    rules.add(rule("a").algorithm(Algorithm.TOKEN_BUCKET).burstThousandths(9500));
    rules.add(rule("a").algorithm(Algorithm.TOKEN_BUCKET).burstThousandths(9000));
    for (KeySpec key : List.of(KeySpec.IP, KeySpec.parse("header:x-user"))) {
      rules.add(listed("a", limit().key(KeySpec.IP), daily()).key(key).enforce(100));
    }
    rules.add(listed("a", limit().key(KeySpec.IP), daily().cost(2)));
    assertAllDiffer(rules);
    assertEquals(digest(rule("a")), digest(rule("a").warnAt(500)), "decides nothing");
  }

  @Test
  void isAnotherOneWhenARuleTakesOtherLimitsOfAllRequests() {
    String all = digestBesideEverywhere(rule("a").mode(Mode.LOCAL));
    String none = digestBesideEverywhere(rule("a").mode(Mode.LOCAL).everywhere(List.of()));
    String other = digestBesideEverywhere(rule("b").mode(Mode.LOCAL).everywhere(List.of()));
    assertEquals(3, Set.of(all, none, other).size());
    assertEquals(all, digestBesideEverywhere(rule("b").mode(Mode.LOCAL)), "of nobody else");
  }

  private static String digestBesideEverywhere(RuleSpec.Builder rule) {
    RuleSpec everywhere = RuleSpec.ofEverywhere(List.of(limit().name("n").mode(Mode.EXACT)));
    return new RuleDigest(StoreNames.DEFAULT)
        .of(RuleSet.compile(List.of(rule.build()), everywhere, false, RuleSet.EMPTY, 0, 0));
  }

  private static RuleSpec.Builder last(List<RuleSpec.Builder> rules) {
    return rules.get(rules.size() - 1);
  }

  private static KeySpec firstOf(String... sources) {
    IdentityNames names = new IdentityNames();
    names.addFirstOf("user", Stream.of(sources).map(KeyPart::parse).toList());
    return KeySpec.ofParts(names.parts("user"));
  }

  private static void assertAllDiffer(List<RuleSpec.Builder> rules) {
    Map<String, RuleSpec> byDigest = new HashMap<>();
    for (RuleSpec.Builder rule : rules) {
      RuleSpec same = byDigest.put(digest(rule), rule.build());
      assertNull(same, () -> same + " and " + rule.build());
    }
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
  void isAnotherOneWhenTiersOrUsersAre() {
    UsersSpec byIp = new UsersSpec(KeySpec.IP, List.of("free", "premium"), List.of(), null);
    UsersSpec byUser =
        new UsersSpec(KeySpec.parse("header:u"), List.of("free", "premium"), List.of(), "shop");
    String one = digest(rule("a"));
    assertEquals(one, digestOf(rule("a"), byIp), "of no limit that has tiers");
    Map<String, Amount> premium = Map.of("premium", Amount.parse("20/1s"));
    String tiers = digestOf(rule("a").tiers(premium), byIp);
    Map<String, Amount> more = Map.of("premium", Amount.parse("30/1s"));
    String other = digestOf(rule("a").tiers(more), byIp);
    String users = digestOf(rule("a").key(KeySpec.parse("header:u,ip")).tiers(premium), byUser);
    String same = digestOf(rule("a").key(KeySpec.parse("header:u,ip")).tiers(premium), byIp);
    assertEquals(5, Set.of(one, tiers, other, users, same).size());
  }

  private static String digestOf(RuleSpec.Builder rule, UsersSpec users) {
    return new RuleDigest(StoreNames.DEFAULT)
        .of(RuleSet.compile(List.of(rule.build()), null, users, false, RuleSet.EMPTY, 0, 0));
  }

  @Test
  void followsAReload() {
    RuleDigest digest = new RuleDigest(StoreNames.DEFAULT);
    String before = digest.of(set(rule("a")));
    assertNotEquals(before, digest.of(set(rule("b"))));
    assertEquals(before, digest.of(set(rule("a"))));
  }
}
