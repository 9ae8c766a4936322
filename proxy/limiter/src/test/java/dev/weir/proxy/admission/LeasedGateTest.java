package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.LeasedRig.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.lease.LeaseKeeper;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decisions by leases and by the store, in a time of its own. */
class LeasedGateTest extends LeasedGateFixture {
  private Question peek() {
    return question
        .start(Operation.PEEK, Purpose.OPERATOR)
        .request(TextRequest.of("GET", "/", "x-user", "u"));
  }

  @Test
  void aBusyKeyIsDecidedByHandAndWhatIsLeftGoesBack() {
    int atOnce = load(300);
    assertTrue(atOnce > 250, "at once: " + atOnce);
    assertEquals(300, passed);
    assertTrue(charged() > 300);
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(300, charged());
  }

  @Test
  void aKeyThatSeldomComesKeepsNothing() {
    for (int i = 0; i < 50; i++) {
      assertFalse(ask());
      answerAll();
      store.pass(600 * MS);
    }
    assertEquals(50, charged());
  }

  @Test
  void neverMoreThanTheLimitAndAllOfItInTheEnd() {
    for (int limit : new int[] {1, 2, 19, 20, 21}) {
      server.forget();
      passed = 0;
      publish(rule(Mode.LEASED, limit + "/365d"));
      load(100);
      store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
      answerAll();
      store.pass(5_000 * MS); // no refusal is proven any more
      load(100);
      assertEquals(limit, passed);
    }
  }

  @Test
  void unitsOfARequestThatDidNotPassAreInHandAgain() {
    lease();
    long before = charged();
    assertTrue(ask());
    long left = remaining;
    admission.giveBack(admission.keep());
    assertTrue(ask());
    assertEquals(left, remaining);
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(passed - 1, charged());
    assertTrue(before > charged());
  }

  @Test
  void limitsOfOneKeyAndDifferentCostsHaveLeasesOfTheirOwn() {
    publish(
        RuleSpec.builder("r")
            .key(KeySpec.parse("header:x-user"))
            .limits(List.of(yearly("100000/365d").cost(1), yearly("200000/364d").cost(5)))
            .mode(Mode.LEASED)
            .onStoreFailure(OnStoreFailure.CLOSED)
            .build());
    server.forget();
    passed = 0;
    assertTrue(load(300) > 200);
    assertEquals(300, passed);
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(5 * 300, charged());
  }

  private static BudgetSpec.Builder yearly(String rate) {
    return new BudgetSpec.Builder().algorithm(Algorithm.FIXED_WINDOW).rate(Rate.parse(rate));
  }

  @Test
  void severalKeysAreTakenFromAllHandsOrFromNone() {
    publish(rule(Mode.LEASED, "100000/365d", "100000/365d"));
    server.forget();
    passed = 0;
    assertTrue(load(300) > 200);
    assertEquals(300, passed);
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(300, charged());
    assertEquals(300, server.charges().get("g"));
  }

  private static BudgetSpec.Builder limit(String header, long lifeNs) {
    return new BudgetSpec.Builder()
        .algorithm(Algorithm.FIXED_WINDOW)
        .rate(Rate.parse("100000/365d"))
        .key(KeySpec.parse("header:" + header))
        .leaseLifeNs(lifeNs);
  }

  @Test
  void ofSeveralKeysOnlyThoseWithoutUnitsInHandAreAskedFor() {
    publish(
        RuleSpec.builder("r")
            .limits(List.of(limit("x-user", LIFE_NS), limit("x-group", 100 * MS)))
            .mode(Mode.LEASED)
            .onStoreFailure(OnStoreFailure.CLOSED)
            .build());
    server.forget();
    passed = 0;
    load(300);
    assertEquals(300, passed);
    store.pass(150 * MS); // the group's units are over
    answerAll();
    final long inHand = charged() - passed;
    assertTrue(inHand > 10, "in hand " + inHand);
    server.charge("u", 100_000 - charged()); // and the store has nothing left for the user
    server.executed().clear();
    told.clear();
    for (int i = 0; i < 5; i++) {
      ask();
      answerAll();
    }
    assertEquals(Collections.nCopies(5, "allowed"), told);
    assertTrue(server.executed().stream().noneMatch(call -> call.contains(":u:")));
  }

  @Test
  void aKeyOfSeveralThatIsExhaustedIsNotAskedAboutWithEachRequest() {
    publish(rule(Mode.LEASED, "100000/365d", "10/365d"));
    server.forget();
    passed = 0;
    load(100);
    assertEquals(10, passed);
    server.executed().clear();
    load(200);
    assertEquals(10, passed);
    int asked = server.executed().size();
    assertTrue(asked < 20, "asked " + asked + " times");
  }

  @Test
  void aTimeOfDayInMillisecondsTakesNothingOutOfHandsOfShortLife() {
    BudgetSpec.Builder limit =
        new BudgetSpec.Builder()
            .algorithm(Algorithm.FIXED_WINDOW)
            .rate(Rate.parse("100000/365d"))
            .key(KeySpec.parse("header:x-user"))
            .leaseLifeNs(2 * MS);
    publish(
        RuleSpec.builder("r")
            .limits(List.of(limit))
            .mode(Mode.LEASED)
            .onStoreFailure(OnStoreFailure.CLOSED)
            .build());
    for (int i = 0; i < 5_000; i++) {
      ask();
      answerAll();
      store.pass(MS / 10 + 777);
    }
    store.pass(LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void besideALimitOfModeExactNothingIsKept() {
    List<BudgetSpec.Builder> limits =
        List.of(
            new BudgetSpec.Builder()
                .algorithm(Algorithm.FIXED_WINDOW)
                .rate(Rate.parse("100000/365d"))
                .key(KeySpec.parse("header:x-user")),
            new BudgetSpec.Builder()
                .algorithm(Algorithm.FIXED_WINDOW)
                .rate(Rate.parse("90000/365d"))
                .key(KeySpec.parse("header:x-group"))
                .mode(Mode.EXACT));
    publish(RuleSpec.builder("r").limits(limits).mode(Mode.LEASED).build());
    assertEquals(0, load(100));
    assertEquals(100, charged());
  }

  @Test
  void whatIsLeftIsWhatTheStoreSaysAndWhatIsInHand() {
    lease();
    final long used = passed;
    assertTrue(charged() > used);
    assertFalse(ask(peek()), "the store says it");
    answerAll();
    assertEquals(100_000 - used, remaining);
    assertFalse(ask(peek().wantsRows()));
    answerAll();
    assertEquals(100_000 - used, remaining);
  }

  @Test
  void aPeekAllowsWhatIsInHandThoughTheStoreHasNothingLeft() {
    publish(rule(Mode.LEASED, "40/365d"));
    server.forget();
    passed = 0;
    emptyHand(25);
    ask();
    answerAll();
    final long inHand = charged() - passed;
    assertTrue(inHand > 0);
    server.charge("u", 40 - charged());
    told.clear();
    ask(peek());
    answerAll();
    assertEquals(List.of("allowed"), told);
    assertEquals(inHand, remaining);
    for (int i = 0; i < inHand; i++) {
      assertTrue(ask());
    }
    told.clear();
    ask(peek());
    answerAll();
    assertEquals(List.of("OVER_LIMIT"), told);
    assertEquals(0, remaining);
  }
}
