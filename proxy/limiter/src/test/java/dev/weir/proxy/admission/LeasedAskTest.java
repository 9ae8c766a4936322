package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.LeasedRig.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.lease.LeaseKeeper;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.Mode;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Asks for units that are late or lost, and requests that wait for what an ask brings. */
class LeasedAskTest extends LeasedGateFixture {
  @Test
  void anAnswerThatIsLateBringsItsUnits() {
    lease();
    while (server.pendingCount() == 0) {
      ask();
      store.pass(MS / 10);
    }
    final int before = passed;
    store.pass(DEADLINE_NS);
    answerAll();
    for (int i = 0; i < 10; i++) {
      assertTrue(ask(), "by hand");
    }
    assertEquals(before + 10, passed);
  }

  @Test
  void aReplyThatIsLostCostsItsAskAndSilencesNobody() {
    lease();
    while (server.pendingCount() == 0) {
      ask();
      store.pass(MS / 10);
    }
    server.lose(true);
    final long lost = charged();
    store.pass(3_000 * MS);
    answerAll();
    assertTrue(load(200) > 100);
    assertTrue(charged() >= lost);
  }

  @Test
  void aConnectionThatBreaksTakesNothingAwayAndTheHandGoesOnWithoutTheStore() {
    lease();
    server.opensAtOnce = false;
    server.lose(false);
    int before = passed;
    assertTrue(ask());
    assertEquals(before + 1, passed);
    for (int i = 0; i < 1_000 && told.get(told.size() - 1).equals("allowed"); i++) {
      assertTrue(ask());
    }
    assertEquals("STORE_UNAVAILABLE", told.get(told.size() - 1));
  }

  @Test
  void requestsThatFindTheHandEmptyWaitForTheAskUnderWayAndTakeWhatItBrings() {
    emptyHand();
    for (int i = 0; i < 20; i++) {
      assertFalse(ask());
    }
    assertEquals(1, server.pendingCount());
    server.answer();
    assertEquals(Collections.nCopies(20, "allowed"), told);
    assertEquals(1, server.executed().size(), server.executed().toString());
    assertEquals(0, server.pendingCount());
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void requestsWaitForAnAskAheadToo() {
    lease();
    while (server.pendingCount() == 0) {
      ask();
      store.pass(MS / 10);
    }
    while (ask()) {
      // by hand
    }
    told.clear();
    assertFalse(ask());
    server.answer();
    assertEquals(List.of("allowed", "allowed"), told);
    assertEquals(1, server.executed().size());
  }

  @Test
  void thoseForWhomItWasNotEnoughAskOnceMoreTogetherInTheirOrder() {
    publish(rule(Mode.LEASED, "320/365d"));
    server.forget();
    passed = 0;
    emptyHand();
    assertEquals(300, charged());
    for (int i = 0; i < 30; i++) {
      assertFalse(ask());
    }
    server.answer(); // one, and 4 of the 19 that are left then
    assertEquals(Collections.nCopies(5, "allowed"), told);
    answerAll();
    assertEquals(Collections.nCopies(20, "allowed"), told.subList(0, 20));
    assertEquals(Collections.nCopies(10, "OVER_LIMIT"), told.subList(20, 30));
    assertEquals(2, server.executed().size(), server.executed().toString());
    assertEquals(320, charged());
  }

  @Test
  void noneWaitsForLongerThanHalfADeadline() {
    emptyHand();
    ask();
    store.pass(MS);
    ask();
    ask();
    store.pass(DEADLINE_NS / 2 - 2 * MS);
    assertEquals(1, server.pendingCount());
    store.pass(MS);
    assertEquals(2, server.pendingCount(), "asked for themselves, at once");
    assertFalse(ask());
    answerAll();
    assertEquals(Collections.nCopies(4, "allowed"), told);
  }

  @Test
  void whoWaitedInVainIsToldAtHisOwnDeadline() {
    emptyHand();
    ask();
    store.pass(MS);
    ask();
    store.pass(DEADLINE_NS - MS);
    assertEquals(List.of("STORE_UNAVAILABLE"), told);
    store.pass(MS - 1);
    assertEquals(1, told.size());
    store.pass(1);
    assertEquals(List.of("STORE_UNAVAILABLE", "STORE_UNAVAILABLE"), told);
    answerAll();
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void whoIsGoneWhileItWaitedTakesNothing() {
    emptyHand();
    ask();
    Client gone = new Client();
    long ticket =
        admission
            .ask(
                question.traffic(TextRequest.of("GET", "/", "x-user", "u", "x-group", "g")),
                gone,
                store.clock().nowNs())
            .ticket();
    ask();
    admission.ended(ticket, new RequestEnd().set(RequestEnd.How.CLIENT_GONE));
    answerAll();
    assertEquals(List.of("allowed", "allowed"), told);
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }

  @Test
  void whatAWaitingRequestTookCanBeKeptAndGivenBack() {
    emptyHand();
    ask();
    ask();
    keepsNext = true;
    answerAll();
    assertEquals(2, keptCount);
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(passed - 2, charged());
  }

  @Test
  void whoWaitsWhenTheConnectionBreaksIsNotForgotten() {
    emptyHand();
    ask();
    ask();
    server.opensAtOnce = false;
    server.lose(false);
    assertEquals(List.of("STORE_UNAVAILABLE", "STORE_UNAVAILABLE"), told);
  }

  @Test
  void aBudgetThatIsGivenBackWhileRequestsWaitIsAskedForAnew() {
    emptyHand();
    ask();
    ask();
    store.forget();
    answerAll();
    assertEquals(List.of("allowed", "allowed"), told);
    assertEquals(2, server.executed().size());
  }

  @Test
  void rulesThatChangeWhileRequestsWaitLeaveThemTheirs() {
    emptyHand();
    ask();
    ask();
    publish(rule(Mode.LEASED, "200000/365d"));
    ask();
    answerAll();
    assertEquals(Collections.nCopies(3, "allowed"), told);
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
  }
}
