package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.records.UserOverride;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.Share;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static final Map<String, Amount> PREMIUM = Map.of("premium", Amount.parse("1000/1m"));

  private static final UsersSpec USERS =
      new UsersSpec(
          KeySpec.parse("header:x-user-id"), List.of("free", "premium"), List.of(), "shop");

  private final Plans plans = new Plans();
  private final Plan free = plans.ofTier("free");
  private final Plan premium = plans.ofTier("premium");

  private static RuleSpec.Builder rule(String rate) {
    return RuleSpec.builder("r").key(KeySpec.parse("header:x-user-id")).rate(Rate.parse(rate));
  }

  private static Rule compile(RuleSpec.Builder rule) {
    return set(rule, RuleSet.EMPTY).find("r");
  }

  private static RuleSet set(RuleSpec.Builder rule, RuleSet previous) {
    return RuleSet.compile(List.of(rule.build()), null, USERS, false, previous, 0, 0);
  }

  private static Budget only(Rule rule) {
    assertEquals(1, rule.groupCount());
    assertEquals(1, rule.group(0).size());
    return rule.group(0).budget(0);
  }

  @Test
  void aPlanHasTheSameBudgetsWithOtherNumbers() {
    Rule rule = compile(rule("100/1m").tiers(PREMIUM).mode(Mode.LEASED));
    Rule under = rule.under(premium);
    assertNotSame(rule, under);
    Budget own = only(rule);
    Budget planned = only(under);
    assertEquals(own.seed(), planned.seed());
    assertEquals(own.heldSeed(), planned.heldSeed());
    assertEquals(new String(own.storeName()), new String(planned.storeName()));
    assertEquals(100, own.limit().capacity());
    assertEquals(1000, planned.limit().capacity());
    assertEquals("\"r\";q=1000;w=60", field(planned));
    assertEquals(1000, planned.storeLimit().capacity());
    assertNotEquals(own.storeSeed(), planned.storeSeed());
    assertNotEquals(rule.group(0).leaseSeed(), under.group(0).leaseSeed());
    assertEquals(rule.index(), under.index());
  }

  private static String field(Budget budget) {
    return "\"%s\";q=%d;w=%d"
        .formatted(
            budget.policy().name(), budget.policy().quota(), budget.policy().windowSeconds());
  }

  @Test
  void isMadeOnceAndIsTheRuleItselfIfThePlanSaysNothing() {
    Rule rule = compile(rule("100/1m").tiers(PREMIUM));
    assertSame(rule.under(premium), rule.under(premium));
    assertSame(rule, rule.under(free));
    assertSame(rule, rule.under(Plan.NONE));
    assertSame(rule, rule.under(premium).under(free));
    assertSame(premium, plans.ofTier("premium"));
    assertSame(premium, plans.of(premium.number()));
  }

  @Test
  void oneLimitWithOtherNumbersLeavesTheOthersAsTheyAre() {
    BudgetSpec.Builder rpm = new BudgetSpec.Builder().name("rpm").rate(Rate.parse("60/1m"));
    BudgetSpec.Builder day = new BudgetSpec.Builder().name("day").rate(Rate.parse("1000/1d"));
    rpm.tiers(PREMIUM);
    day.tiers(Map.of("premium", Amount.UNLIMITED));
    RuleSpec.Builder spec = rule("1/1s").limits(List.of(rpm, day));
    Rule rule = set(spec, RuleSet.EMPTY).find("r");
    Rule under = rule.under(premium);
    assertEquals(2, rule.group(0).size());
    assertEquals("\"rpm\";q=1000;w=60", field(only(under)), "and no limit a day");
    Plan own = plan("free", Map.of("day", Amount.parse("5/1d"), "rpm", Amount.parse("1/1h")));
    Rule ownRule = rule.under(own);
    assertSame(rule.group(0).budget(0), ownRule.group(0).budget(0), "another window is no rpm");
    assertEquals("\"day\";q=5;w=86400", field(ownRule.group(0).budget(1)));
    Plan nothing = plan("premium", Map.of("rpm", Amount.UNLIMITED));
    assertTrue(rule.under(nothing).passesAll());
  }

  @Test
  void aReloadKeepsWhatIsUnderAPlan() {
    RuleSet first = set(leased("100/1m"), RuleSet.EMPTY);
    Rule before = first.find("r").under(premium);
    RuleSet second = set(leased("100/1m"), first);
    Rule same = second.find("r").under(premium);
    assertSame(only(before).limit(), only(same).limit());
    assertSame(only(before).storeLimit(), only(same).storeLimit());
    assertSame(before.storeLimits(), same.storeLimits(), "checks are told apart by the array");
    second.succeed();
    assertSame(only(same), only(before).latest());
    RuleSet third = set(leased("50/1m"), second);
    third.succeed();
    assertSame(only(third.find("r").under(premium)), only(before).latest());
    assertEquals(1000, only(before).latest().past().limit().capacity());
    assertEquals(100, only(third.find("r")).past().limit().capacity());
    RuleSet last = set(rule("50/1m").mode(Mode.LEASED), third);
    last.succeed();
    assertSame(last.find("r"), last.find("r").under(premium));
    assertSame(only(last.find("r")), only(before).latest(), "the tier is gone");
  }

  private Plan plan(String tier, Map<String, Amount> limits) {
    return plans.of(tier, new UserRecord(null, limits, null));
  }

  /** 1.3 of the design: the first that speaks wins. */
  @Test
  void anOverrideSpeaksBeforeTheUsersLimitAndThatBeforeTheTier() {
    Rule rule = compile(rule("100/1m").tiers(PREMIUM));
    Budget limit = rule.group(0).budget(0);
    Amount five = Amount.parse("5/1m");
    UserRecord of = UserRecord.EMPTY.withTier("premium");
    assertSays(Plan.Says.LIMIT, 100, limit, UserRecord.EMPTY.withTier("free"));
    assertSays(Plan.Says.TIER, 1000, limit, of);
    assertSays(Plan.Says.USER, 5, limit, of.withLimit("r", five));
    assertSays(Plan.Says.TIER, 1000, limit, of.withLimit("r", Amount.parse("5/1h")));
    UserRecord own = of.withLimit("r", five);
    assertSays(Plan.Says.OVERRIDE, 10, limit, own.withOverride(override(null, null, 2000)));
    assertSays(Plan.Says.OVERRIDE, 1000, limit, own.withOverride(override("premium", null, 0)));
    assertSays(Plan.Says.USER, 5, limit, own.withOverride(override("free", null, 0)));
    Amount seven = Amount.parse("7/1m");
    assertSays(Plan.Says.OVERRIDE, 7, limit, own.withOverride(override(null, seven, 0)));
  }

  private void assertSays(Plan.Says who, long capacity, Budget limit, UserRecord record) {
    Plan plan = plans.of(null, record);
    assertEquals(who, plan.says(limit));
    assertEquals(capacity, limit.under(plan).limit().capacity());
  }

  private static UserOverride override(String tier, Amount limit, long factor) {
    Map<String, Amount> limits = limit == null ? Map.of() : Map.of("r", limit);
    return new UserOverride(Instant.ofEpochMilli(1000), "test", tier, limits, factor);
  }

  @Test
  void anOverrideIsGoneAtItsEndAndTheTierIsThatOfTheRequestIfTheRecordNamesNone() {
    Plan open = plans.of(null, UserRecord.EMPTY.withOverride(override(null, null, 2000)));
    Plan during = plans.now(open, premium, 999);
    assertEquals("premium", during.tier());
    assertTrue(during.hasOverride());
    assertSame(during, plans.now(open, premium, 0));
    assertSame(premium, plans.now(open, premium, 1000));
    assertSame(free, plans.now(plans.of(null, UserRecord.EMPTY), free, 0));
    Plan fixed = plans.of(null, UserRecord.EMPTY.withTier("premium"));
    assertEquals("premium", plans.now(fixed, free, 0).tier());
  }

  private static RuleSpec.Builder leased(String rate) {
    return rule(rate).tiers(PREMIUM).mode(Mode.LEASED);
  }

  @Test
  void sharesOfPlansAreDividedAgain() {
    RuleSet rules = set(rule("100/1m").tiers(PREMIUM).share(Share.AUTO), RuleSet.EMPTY);
    Shares shares = new Shares();
    shares.follow(rules);
    shares.divideBy(2, 0);
    Limit made = only(rules.find("r").under(premium)).share();
    assertEquals(500, made.capacity(), "made when there are two");
    shares.divideBy(4, 1);
    assertEquals(250, only(rules.find("r").under(premium)).share().capacity());
    assertEquals(25, only(rules.find("r")).share().capacity());
  }

  private static UserRecord until(long ms, String reason) {
    return UserRecord.EMPTY.withOverride(
        new UserOverride(
            Instant.ofEpochMilli(ms), reason, null, Map.of("r", Amount.parse("500/1m")), 0));
  }

  private static BitSet numbers(Plan... of) {
    BitSet numbers = new BitSet();
    List.of(of).forEach(plan -> numbers.set(plan.number()));
    return numbers;
  }

  @Test
  void aReasonMakesNoPlan() {
    Plan plan = plans.of("free", until(1, "launch"));
    assertSame(plan, plans.of("free", until(1, "invoice 4711")));
    assertNotSame(plan, plans.of("free", until(2, "launch")));
  }

  @Test
  void whatNobodyHasIsForgottenTheSecondTimeAndWhatIsMadeOfAPlanThatStaysIsNot() {
    Plan gone = plans.of("free", until(1, ""));
    Plan had = plans.of("free", until(2, ""));
    Plan without = plans.now(had, premium, 3); // of a tier, and so is what it has without override
    int count = plans.count();
    plans.reclaim(numbers(had), 0);
    assertSame(gone, plans.of(gone.number()), "somebody may be about to be given it");
    BitSet kept = plans.reclaim(numbers(had), 1);
    assertEquals(count - 1, plans.count());
    assertSame(Plan.NONE, plans.of(gone.number()));
    for (Plan plan : List.of(had, without, free, premium)) {
      assertTrue(kept.get(plan.number()), plan::toString);
      assertSame(plan, plans.of(plan.number()));
    }
    Plan anew = plans.of("free", until(1, ""));
    assertNotSame(gone, anew);
    assertNotEquals(gone.number(), anew.number(), "a number is given anew as late as can be");
    plans.reclaim(numbers(gone), 2);
    plans.reclaim(numbers(gone), 3);
    assertSame(Plan.NONE, plans.of(had.number()));
    assertSame(premium, plans.of(premium.number()));
  }

  @Test
  void whatWasAskedForSinceTheFirstTimeIsNotForgottenTheSecondTime() {
    Plan plan = plans.of("free", until(1, ""));
    plans.reclaim(new BitSet(), 0);
    assertSame(plan, plans.of("free", until(1, "")));
    plans.reclaim(new BitSet(), 1);
    assertSame(plan, plans.of(plan.number()), "somebody is about to be given it");
    plans.reclaim(new BitSet(), 2);
    assertSame(Plan.NONE, plans.of(plan.number()));
  }

  @Test
  void aRecordWithoutATierMakesOnePlanUnderItsTierAndIsThatPlan() {
    int count = plans.count();
    Plan own = plans.now(until(1000, ""), premium, 999);
    assertEquals("premium", own.tier());
    assertEquals(count + 1, plans.count());
    assertSame(own, plans.now(own, premium, 999));
    assertEquals(count + 1, plans.count());
    Plan other = plans.now(own, free, 999);
    assertEquals("free", other.tier());
    assertSame(own, plans.now(other, premium, 999));
    assertSame(premium, plans.now(until(1000, ""), premium, 1000), "it has ended");
    assertSame(premium, plans.now(Plan.NONE, premium, 0));
  }

  @Test
  void plansAreLookedThroughAgainOnlyWhileManyAreNobodys() {
    BitSet had = new BitSet();
    for (int i = 0; i < 2 * Plans.LEAST_RECLAIMED; i++) {
      had.set(plans.of("free", until(i, "")).number());
    }
    Plan nobodys = plans.of("free", until(-1, ""));
    assertTrue(plans.isReclaimDue(Plans.GRACE_NS));
    plans.reclaim(had, Plans.GRACE_NS);
    assertFalse(plans.isReclaimDue(3 * Plans.GRACE_NS), "one is nobody's");
    had.clear(0, had.length() / 2);
    plans.reclaim(had, 3 * Plans.GRACE_NS);
    assertSame(Plan.NONE, plans.of(nobodys.number()));
    assertFalse(plans.isReclaimDue(3 * Plans.GRACE_NS));
    assertTrue(plans.isReclaimDue(4 * Plans.GRACE_NS), "half of them are");
    plans.reclaim(had, 4 * Plans.GRACE_NS);
    assertFalse(plans.isReclaimDue(5 * Plans.GRACE_NS));
  }

  @Test
  void aRuleForgetsItselfUnderPlansThatThereAreNoMore() {
    Rule rule = compile(rule("100/1m").tiers(PREMIUM));
    Plan own = plans.of("free", until(1, ""));
    Rule before = rule.under(own);
    Rule tier = rule.under(premium);
    Budget budget = only(rule).under(own);
    rule.retainPlans(number -> number != own.number());
    assertNotSame(before, rule.under(own));
    assertNotSame(budget, only(rule).under(own));
    assertSame(tier, rule.under(premium));
  }

  @Test
  void beyondTheBoundAUserHasTheTierAndThatIsCounted() {
    Plans few = new Plans(5);
    assertNotSame(few.ofTier("free"), few.ofTier("premium"));
    Plan first = few.of("free", until(1, ""));
    assertSame(few.ofTier("free"), few.of("free", until(2, "")));
    assertSame(few.ofTier("premium"), few.of("free", until(3, "").withTier("premium")));
    assertSame(first, few.of("free", until(1, "")));
    assertEquals(2, few.refusedCount());
    few.reclaim(new BitSet(), 0);
    few.reclaim(new BitSet(), 1);
    assertEquals(
        "500/1m", few.of("free", until(2, "")).record().override().limits().get("r").text());
  }
}
