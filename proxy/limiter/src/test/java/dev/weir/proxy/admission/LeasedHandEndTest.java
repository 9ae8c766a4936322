package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.LeasedRig.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.lease.LeaseKeeper;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.Mode;
import org.junit.jupiter.api.Test;

/** Ends of a hand: resets, other rules, the end of the process, a machine that stood still. */
class LeasedHandEndTest extends LeasedGateFixture {
  private long allCharged() {
    return server.charges().values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void aBudgetThatIsGivenBackByHandIsInNoHand() {
    lease();
    server.forget();
    store.forget();
    store.pass(1);
    assertFalse(ask());
    answerAll();
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(1, charged());
  }

  @Test
  void whatWasOnItsWayWhenABudgetWasGivenBackIsInNoHandEither() {
    lease();
    while (server.pendingCount() == 0) {
      ask();
      store.pass(MS / 10);
    }
    store.forget();
    answerAll();
    store.pass(1);
    assertFalse(ask());
    answerAll();
  }

  @Test
  void aResetIsInNoHand() {
    lease();
    question
        .start(Operation.RESET, Purpose.OPERATOR)
        .request(TextRequest.of("GET", "/", "x-user", "u"));
    ask(question);
    answerAll();
    assertFalse(ask());
  }

  @Test
  void aChangedLimitBitesAtOnceAndWindowsTakeBackWhatWasInHand() {
    lease();
    final int before = passed;
    publish(rule(Mode.LEASED, "200000/365d"));
    assertFalse(ask());
    answerAll();
    assertEquals(before + 1, charged());
  }

  @Test
  void aChangedModeHandsOutNothingFresh() {
    lease();
    publish(rule(Mode.EXACT, "100000/365d"));
    answerAll();
    assertEquals(passed, charged());
    assertFalse(ask());
    answerAll();
    publish(rule(Mode.LEASED, "100000/365d"));
    assertFalse(ask());
    answerAll();
    publish(rule(Mode.LOCAL, "100000/365d"));
    assertTrue(ask());
    answerAll();
    assertEquals(passed - 1, charged());
  }

  @Test
  void whatIsInHandGoesBackWhenTheProcessEnds() {
    lease();
    admission.ending();
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void whatIsInMoreHandsThanTheStoreTakesAtOnceGoesBackInParts() {
    int users = 3_000;
    for (int round = 0; round < 15; round++) {
      for (int user = 0; user < users; user++) {
        ask(question.traffic(TextRequest.of("GET", "/", "x-user", "u" + user, "x-group", "g")));
        if (user % 200 == 0) {
          answerAll();
        }
      }
      answerAll();
      store.pass(MS);
    }
    int asks = users * 15;
    assertEquals(asks, passed);
    assertTrue(allCharged() > asks + 2_048, "kept: " + (allCharged() - asks));
    for (int i = 0; i < 100 && !admission.ending(); i++) {
      answerAll();
    }
    assertEquals(asks, allCharged());
  }

  @Test
  void whatWasInHandWhileTheMachineStoodStillIsDropped() {
    lease();
    store.standStill(LIFE_NS);
    store.pass(LeaseKeeper.SWEEP_NS);
    answerAll();
    assertFalse(ask());
    answerAll();
  }

  @Test
  void whatWasOnItsWayWhileTheMachineStoodStillIsInNoHand() {
    lease();
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertFalse(ask()); // and some are to be kept beside it
    store.standStill(LIFE_NS);
    answerAll();
    store.pass(1);
    assertFalse(ask());
    answerAll();
  }
}
