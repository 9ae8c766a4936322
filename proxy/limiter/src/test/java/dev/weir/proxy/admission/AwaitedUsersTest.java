package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.PlannedRig.DEADLINE;
import static dev.weir.proxy.admission.PlannedRig.SECOND;
import static dev.weir.proxy.admission.PlannedRig.USERS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Questions that wait until the record of their user was read. */
class AwaitedUsersTest {
  private static final UserRecord PREMIUM = UserRecord.EMPTY.withTier("premium");
  private static final long FREE = 100;
  private static final long OF_PREMIUM = 1_000;

  private final PlannedRig rig = new PlannedRig();

  /** What is told late: a ticket and the number of the plan. */
  private final List<Long> tickets = new ArrayList<>();

  private final List<Long> limits = new ArrayList<>();

  @BeforeEach
  void begin() {
    rig.use(
        RuleSpec.builder("r")
            .rate(Rate.parse("100/1m"))
            .tiers(Map.of("premium", Amount.parse("1000/1m"), "partner", Amount.parse("5/1m"))),
        USERS);
    rig.recorded.usersCounted(1);
    rig.set("ann", PREMIUM);
    rig.holdsAnswers = true;
  }

  @AfterEach
  void nobodyWaits() {
    assertEquals(0, rig.handler.awaited.count());
    assertEquals(0, rig.handler.parked.count());
    rig.close();
  }

  private void told(long ticket, Verdict verdict) {
    tickets.add(ticket);
    limits.add(verdict.limit());
  }

  private Asked ask(Question question) {
    return rig.ask(question, this::told);
  }

  /** Asks a question that waits; returns its ticket. */
  private long waits(Question question) {
    Asked asked = ask(question);
    assertNull(asked.verdict(), "it waits");
    return asked.ticket();
  }

  private Question check(String user) {
    return rig.question(Operation.CHECK, user, "");
  }

  @Test
  void theFirstQuestionOfAUserIsDecidedUnderTheUsersPlan() {
    long ticket = waits(check("ann"));
    rig.run();
    assertEquals(List.of(), limits, "the record is being read");
    rig.answerAll();
    assertEquals(List.of(OF_PREMIUM), limits);
    assertEquals(List.of(ticket), tickets);
    assertEquals(OF_PREMIUM - 2, ask(check("ann")).verdict().remaining(), "and at once from now");
    assertEquals(1, rig.reads);
  }

  @Test
  void allQuestionsOfAUserWaitForOneReadingAndAreAskedInTheirOrder() {
    List<Long> asked =
        List.of(waits(check("ann")), waits(check("ann")), waits(check("bob")), waits(check("ann")));
    rig.run();
    rig.answerAll();
    assertEquals(List.of(asked.get(0), asked.get(1), asked.get(3), asked.get(2)), tickets);
    assertEquals(List.of(OF_PREMIUM, OF_PREMIUM, OF_PREMIUM, FREE), limits);
    assertEquals(2, rig.reads);
  }

  @Test
  void atTheDeadlineWhatIsKnownDecidesAndNobodyWaitsForAReadingThatTakesLonger() {
    waits(check("ann"));
    rig.run();
    rig.pass(DEADLINE - 1);
    assertEquals(List.of(), limits);
    rig.pass(1);
    assertEquals(List.of(FREE), limits);
    assertEquals(FREE, ask(check("ann")).verdict().limit(), "the same reading");
    assertEquals(5, ask(rig.question(Operation.CHECK, "ann", "partner")).verdict().limit());
    rig.answerAll();
    assertEquals(OF_PREMIUM, ask(check("ann")).verdict().limit());
    assertEquals(1, rig.reads);
  }

  @Test
  void aQuestionThatComesLaterWaitsUntilTheSameTime() {
    waits(check("ann"));
    rig.pass(DEADLINE - 1);
    waits(check("ann"));
    rig.pass(1);
    assertEquals(List.of(FREE, FREE), limits);
    rig.answerAll();
  }

  @Test
  void aQuestionWaitsNoLongerThanItsOwnDeadline() {
    waits(check("ann").deadlineNs(rig.nowNs + 1_000_000));
    waits(check("ann"));
    rig.run();
    rig.pass(1_000_000);
    assertEquals(List.of(FREE), limits);
    rig.answerAll();
    assertEquals(List.of(FREE, OF_PREMIUM), limits);
  }

  @Test
  void nobodyWaitsForASecondOnceTheStoreCouldSayNothing() {
    rig.isAway = true;
    waits(check("ann"));
    rig.run();
    rig.answerAll();
    assertEquals(List.of(FREE), limits);
    rig.pass(SECOND - 1_000_000);
    assertEquals(FREE, ask(check("ann")).verdict().limit());
    assertEquals(1, rig.reads);
    rig.isAway = false;
    rig.pass(1_000_000);
    assertEquals(FREE, ask(check("ann")).verdict().limit(), "read again, but waited for once");
    rig.run();
    rig.answerAll();
    assertEquals(OF_PREMIUM, ask(check("ann")).verdict().limit());
    assertEquals(2, rig.reads);
  }

  /** One write may make everybody unknown; that must not make everybody wait. */
  @Test
  void aUserOfWhomSomethingWasKnownHasThatAndDoesNotWait() {
    waits(check("ann"));
    rig.run();
    rig.answerAll();
    rig.recorded.allUsersChanged();
    assertEquals(OF_PREMIUM, ask(check("ann")).verdict().limit());
    rig.set("ann", UserRecord.EMPTY.withTier("partner"));
    rig.run();
    rig.answerAll();
    assertEquals(5, ask(check("ann")).verdict().limit(), "read beside the request");
    assertEquals(2, rig.reads);
    rig.isAway = true;
    rig.recorded.allUsersChanged();
    assertEquals(5, ask(check("ann")).verdict().limit());
    rig.run();
    rig.answerAll();
    assertEquals(5, ask(check("ann")).verdict().limit());
  }

  @Test
  void aQuestionThatTheStoreDecidesWaitsForHalfOfWhatIsLeftOfItsOwnDeadline() {
    rig.use(
        RuleSpec.builder("r")
            .mode(Mode.EXACT)
            .rate(Rate.parse("100/1m"))
            .tiers(Map.of("premium", Amount.parse("1000/1m"))),
        USERS);
    QuestionRules rules = new QuestionRules(rig.reader, rig.users, false, () -> rig.nowNs);
    rules.waitFor(hash -> {});
    rules.use(rig.rules);
    assertEquals(DEADLINE / 2, waitsNs(rules, check("ann")), "half of the deadline of both");
    assertEquals(500, waitsNs(rules, check("ann").deadlineNs(rig.nowNs + 1_000)));
    rig.run();
    rig.answerAll();
  }

  private long waitsNs(QuestionRules rules, Question question) {
    rules.find(question);
    assertTrue(rules.isUserAwaited());
    return rules.waitsUntilNs() - rig.nowNs;
  }

  @Test
  void aQuestionThatFailsWhenItIsAskedAgainIsRefusedAndItsTicketIsNobodyElses() {
    List<RefusalReason> refusals = new ArrayList<>();
    Asked asked = rig.ask(check("ann"), (ticket, verdict) -> refusals.add(verdict.refusal()));
    assertNull(asked.verdict());
    long failed = asked.ticket();
    rig.run();
    rig.isBroken = true;
    rig.pass(DEADLINE);
    rig.isBroken = false;
    assertEquals(List.of(RefusalReason.STORE_UNAVAILABLE), refusals);
    assertEquals(0, rig.handler.parked.count());
    long next = waits(check("bob"));
    assertNotEquals(failed, next);
    rig.handler.ended(failed, new RequestEnd());
    rig.run();
    rig.answerAll();
    assertEquals(List.of(next), tickets);
  }

  @Test
  void whoLeavesIsToldNothingAndChargedNothing() {
    long first = waits(check("ann"));
    long second = waits(check("ann"));
    long third = waits(check("ann"));
    rig.run();
    for (long gone : List.of(second, third, first)) {
      rig.handler.ended(gone, new RequestEnd());
    }
    waits(check("ann"));
    rig.answerAll();
    assertEquals(List.of(OF_PREMIUM), limits);
    assertEquals(OF_PREMIUM - 2, ask(check("ann")).verdict().remaining());
  }

  @Test
  void aLookDoesNotWait() {
    assertNotNull(ask(rig.question(Operation.PEEK, "ann", "")).verdict());
    assertEquals(FREE, ask(rig.question(Operation.PEEK, "ann", "")).verdict().limit());
    assertNotNull(ask(rig.question(Operation.PEEK, "ann", "partner")).verdict());
  }

  @Test
  void aVerdictMayAskTheNextQuestionOfTheSameUser() {
    List<Long> remaining = new ArrayList<>();
    Question next = new Question();
    rig.ask(
        check("ann"),
        (ticket, verdict) -> {
          remaining.add(verdict.remaining());
          next.copy(check("ann"), null, new ExpandableArrayBuffer(), new ExpandableArrayBuffer());
          remaining.add(ask(next).verdict().remaining());
        });
    waits(check("ann"));
    rig.run();
    rig.answerAll();
    assertEquals(List.of(OF_PREMIUM - 1, OF_PREMIUM - 2), remaining);
    assertEquals(List.of(OF_PREMIUM), limits);
  }

  /** The bytes of a request are another's once the call has returned. */
  @Test
  void aRequestThatWaitsIsDecidedByWhatItHasSaid() {
    RequestView view = TextRequest.of("GET", "/", "x-user-id", "ann");
    ExpandableArrayBuffer bytes = new ExpandableArrayBuffer();
    RequestView scanned = new RequestView(view.maxFieldCount());
    scanned.copy(view, bytes);
    long ticket = waits(new Question().traffic(scanned));
    bytes.setMemory(0, bytes.capacity(), (byte) 'x');
    scanned.reset(bytes, 0, 0, null);
    rig.run();
    rig.answerAll();
    assertEquals(List.of(ticket), tickets);
    assertEquals(List.of(OF_PREMIUM), limits);
  }

  @Test
  void beyondTheBoundsWhatIsKnownDecides() {
    String large = "x".repeat(AwaitedUsers.MAX_BYTES / 4 - 3);
    for (int i = 0; i < 4; i++) {
      Question question = check("ann");
      rig.identity("header:x-other", large);
      waits(question);
    }
    assertEquals(FREE, ask(check("ann")).verdict().limit(), "no bytes are left");
    rig.run();
    rig.answerAll();
    assertEquals(4, limits.size());
    for (int i = 0; i < AwaitedUsers.MAX_COUNT; i++) {
      waits(check("bob"));
    }
    assertEquals(FREE, ask(check("bob")).verdict().limit(), "too many wait");
    rig.run();
    rig.answerAll();
    assertEquals(4 + AwaitedUsers.MAX_COUNT, limits.size());
  }

  @Test
  void asManyUsersAreReadAtATimeAsTheBoundSays() {
    List<Long> asked = new ArrayList<>();
    for (int i = 0; i < RecordedUsers.MAX_ASKED; i++) {
      asked.add(waits(check("user" + i)));
      if (i % 1000 == 0) {
        rig.handler.ended(asked.get(i), new RequestEnd()); // they are read nevertheless
      }
    }
    asked.forEach(ticket -> rig.handler.ended(ticket, new RequestEnd()));
    assertEquals(FREE, ask(check("bob")).verdict().limit());
    rig.run();
    rig.answerAll();
    assertTrue(limits.isEmpty());
    waits(check("ann"));
    rig.run();
    rig.answerAll();
    assertEquals(List.of(OF_PREMIUM), limits);
  }

  @Test
  void anIdentityThatIsNotGivenWaitsForNobody() {
    Question question = check("ann");
    question.start(Operation.CHECK, question.purpose()).rule("r");
    rig.identity("header:x-other", "ann");
    assertNotNull(ask(question).verdict());
  }
}
