package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When those who ask the store are told, and what becomes of what nobody waits for. */
class LoopStoreTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MS_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ModelServer server = new ModelServer(1);
  private final ModelServer learned = new ModelServer(2);
  private final Refunded refunded = new Refunded();
  private final ModelStore model =
      new ModelStore(List.of(server), List.of(learned), true, refunded, DEADLINE_NS);
  private final LoopStore store = model.store();
  private final List<String> told = new ArrayList<>();
  private final List<Long> granted = new ArrayList<>();
  private final StoreKeys keys = new StoreKeys(1);
  private final StoreQuestion question = new StoreQuestion();
  private final StoreCallback callback = new Callback();
  private final ScriptLimit[] limits = {ScriptLimit.fixedWindow(10, 1_000_000, 0)};
  private Runnable onTold = () -> {};
  private boolean passes;

  @AfterEach
  void close() {
    model.close();
    assertEquals(List.of(), server.faults());
  }

  @Test
  void triesAServerNoLongerOnceRequestsAreLetIn() {
    ModelServer slow = new ModelServer(3);
    try (ModelStore starting =
        new ModelStore(List.of(slow), List.of(), false, refunded, DEADLINE_NS, true)) {
      slow.answer();
      starting.run();
      assertEquals(1, slow.pendingCount(), "the next question of the trial");
      starting.store().giveUpWaiting();
      slow.answer();
      starting.run();
      assertEquals(0, slow.pendingCount(), "none goes on beside requests");
    }
  }

  @Test
  void tellsNobodyWithinTheQuestionWhoseWriteFails() {
    ask(1); // goes at once, and is away
    ask(2); // is gathered
    model.pass(2 * MS_NS);
    server.failsNextWrite = true;
    onTold = () -> assertTrue(!store.isAsking(), "told within a question");
    ask(3); // takes the one before along
    assertEquals(List.of(), told);
    model.run();
    assertEquals(List.of("2 DISCONNECTED", "3 DISCONNECTED", "1 DISCONNECTED"), told);
  }

  @Test
  void tellsNobodyWithinARefundWhoseWriteFails() {
    ask(1);
    server.answer();
    server.failsNextWrite = true;
    told.clear();
    refund();
    assertEquals(0, refunded.lost);
    model.run();
    assertEquals(1, refunded.lost);
  }

  @Test
  void aCallThatNobodyWaitsForKeepsNoCheckWaiting() {
    ask(1);
    server.answer();
    refund();
    assertEquals(1, server.pendingCount());
    ask(2);
    assertEquals(2, server.pendingCount());
    ask(3);
    assertEquals(2, server.pendingCount(), "it is gathered");
    server.answer();
    assertEquals(1, server.pendingCount());
    server.answer();
    assertEquals(List.of("1 allowed", "2 allowed"), told);
    server.answer();
    assertEquals("3 allowed", told.get(2));
    assertEquals(0, server.pendingCount());
  }

  @Test
  void whoAsksAgainWhenToldIsAnsweredInTurn() {
    ask(1);
    ask(2);
    server.failsNextWrite = true;
    onTold =
        () -> {
          onTold = () -> {};
          assertEquals(StoreFault.DISCONNECTED, ask(9)); // known at once, and not told
        };
    model.pass(2 * MS_NS);
    ask(3);
    model.run();
    assertEquals(3, told.size(), told.toString());
  }

  @Test
  void oneThatCannotBeToldKeepsNoOtherFromIt() {
    final long errors = InternalErrors.count();
    ask(1);
    ask(2);
    ask(3);
    onTold =
        () -> {
          if (told.size() == 2) {
            throw new IllegalStateException("the callback is broken");
          }
        };
    server.answer();
    server.answer();
    assertEquals(List.of("1 allowed", "2 allowed", "3 allowed"), told);
    assertEquals(1, InternalErrors.count() - errors);
    ask(4);
    server.answer();
    assertEquals("4 allowed", told.get(3));
  }

  @Test
  void sendsRefundsOfABatchWhoseRequestsHaveExpiredAndKeepsTheConnection() {
    ask(1);
    server.answer();
    ask(2); // is away
    ask(3); // is gathered, and expires there
    refund();
    model.pass(2 * DEADLINE_NS);
    assertEquals(List.of("1 allowed", "2 DEADLINE", "3 DEADLINE"), told);
    server.executed().clear();
    server.answer();
    assertEquals(1, server.pendingCount());
    server.answer();
    String key = " [rl:{p000}:d:i:r]"; // the second refund is that of the late grant
    assertEquals(List.of("check" + key, "refund" + key, "refund" + key), server.executed());
    assertEquals(0, server.pendingCount());
    assertEquals(0, refunded.lost);
    assertTrue(server.isOpen());
    assertEquals(0, charged());
  }

  @Test
  void givesBackAtOnceWhatCameTooLateForSeveral() {
    ask(1); // is away
    for (int ticket = 2; ticket <= 9; ticket++) {
      ask(ticket);
    }
    server.answer();
    model.pass(2 * DEADLINE_NS);
    assertEquals(9, told.size(), told.toString());
    server.executed().clear();
    server.answer();
    assertEquals(8 + 1, charged());
    server.answer();
    String key = " [rl:{p000}:d:i:r]";
    assertEquals(List.of("check" + key, "refund" + key), server.executed());
    assertEquals(1, charged());
  }

  @Test
  void sendsRefundsBeforeTheChecksOfTheirBatch() {
    for (int ticket = 1; ticket <= 10; ticket++) {
      ask(ticket);
      server.answer();
    }
    ask(11); // is away, and refused
    ask(12); // is gathered first
    refund();
    server.answer();
    server.answer();
    assertEquals(List.of("11 refused", "12 allowed"), told.subList(10, 12));
  }

  @Test
  void callsThatExpireWhileAServerIsConnectedLeaveItsConnectionAlone() {
    learned.opensAtOnce = false;
    ask(1);
    server.refuse("MOVED 1 127.0.0.1:2");
    model.run();
    model.pass(2 * DEADLINE_NS);
    assertEquals(List.of("1 DEADLINE"), told);
    learned.open();
    model.run();
    assertTrue(learned.isOpen());
    assertEquals(0, learned.pendingCount());
    model.pass(TimeUnit.SECONDS.toNanos(1));
    assertEquals(1, learned.connections());
  }

  @Test
  void refundsThatAreRedirectedGoOn() {
    ask(1);
    server.answer();
    ask(2);
    server.refuse("MOVED 1 127.0.0.1:2"); // to where the charge is not: that is the server's word
    model.run();
    refund();
    model.pass(2 * DEADLINE_NS);
    learned.answer();
    server.refuse("MOVED 1 127.0.0.1:2");
    assertEquals(1, learned.pendingCount());
    assertEquals(0, refunded.lost);
    learned.lose(false);
    learned.faults().clear();
  }

  @Test
  void aProbeThatCarriesWhoHasWaitedTooLongIsJudgedByItsOwnAnswer() {
    final long deadlineNs = 200 * MS_NS;
    final ModelServer slow = new ModelServer(3);
    try (ModelStore other = new ModelStore(List.of(slow), List.of(), false, refunded, deadlineNs)) {
      long ticket = 0;
      StoreFault fault = null;
      for (int ms = 0; fault == null; ms += 20) {
        if (slow.pendingCount() == Shard.MAX_IN_FLIGHT && ms < 900) {
          slow.answer(); // too late each time
        }
        fault = ask(other, ++ticket);
        other.pass(20 * MS_NS);
        assertTrue(ms < 2_000);
      }
      assertEquals(StoreFault.BREAKER_OPEN, fault);
      for (int ms = 0; fault != null; ms++) { // what was gathered before goes with the probe
        other.pass(MS_NS);
        fault = ask(other, ++ticket);
        assertTrue(ms < 200);
      }
      while (slow.pendingCount() > 0) {
        slow.answer();
      }
      assertEquals(ticket + " refused", told.get(told.size() - 1));
      assertNull(ask(other, ++ticket));
    }
  }

  @Test
  void aQuestionThatThrowsLeavesNothingInItsBatch() {
    key();
    ScriptLimit[] two = {limits[0], ScriptLimit.concurrency(1)};
    StoreKeys both = new StoreKeys(2);
    both.add(keys, 0, 1);
    both.add(keys, 0, 1);
    assertThrows(
        IllegalArgumentException.class,
        () -> store.ask(question.giveBack(0, 1, 0).of(both, 0, two), model.clock().nowNs()));
    assertTrue(store.isIdle());
    ask(1);
    ask(2); // is gathered
    assertThrows(
        IllegalArgumentException.class,
        () -> store.ask(question.check(callback, 3).of(both, 0, two), model.clock().nowNs()));
    server.answer();
    server.answer();
    assertEquals(List.of("1 allowed", "2 allowed"), told);
  }

  @Test
  void whatIsOwedIsNotOfferedAgainAndAgainToAServerThatCannotTakeIt() {
    learned.opensAtOnce = false;
    passes = true;
    ask(1);
    server.answer(); // the server's time is known
    ask(2);
    server.refuse("ASK 1 127.0.0.1:2");
    model.run();
    model.pass(TimeUnit.SECONDS.toNanos(4));
    assertEquals(List.of("1 allowed", "2 DEADLINE"), told);
    int offers = 0;
    for (; server.pendingCount() > 0 && offers < 100; offers++) {
      server.refuse("ASK 1 127.0.0.1:2"); // where nobody is
      model.run();
    }
    assertTrue(offers <= 1, offers + " at one moment");
    model.pass(TimeUnit.MILLISECONDS.toNanos(200));
    assertEquals(1, server.pendingCount());
  }

  @Test
  void sharesAGrantAmongQuestionsOfOneBudgetInTheOrderTheyCame() {
    ask(1); // is away
    for (int ticket = 2; ticket <= 4; ticket++) {
      key();
      question.check(callback, ticket).of(keys, 0, limits).upTo(4);
      assertNull(store.ask(question, model.clock().nowNs()));
    }
    server.executed().clear();
    server.answer();
    server.answer();
    assertEquals(List.of(4L, 4L, 1L), granted.subList(1, 4));
    assertEquals(2, server.executed().size(), "one check for all that were gathered");
  }

  @Test
  void givesBackAPartOfAGrantThatCameTooLate() {
    key();
    assertNull(
        store.ask(question.check(callback, 1).of(keys, 0, limits).upTo(30), model.clock().nowNs()));
    model.pass(2 * DEADLINE_NS);
    server.answer();
    assertEquals(10, charged());
    server.answer();
    assertEquals(0, charged());
    assertEquals(List.of("1 DEADLINE"), told);
  }

  @Test
  void owesTheRestOfAQuestionThatHasPassedAndWasGrantedAPart() {
    passes = true;
    key();
    assertNull(
        store.ask(question.check(callback, 1).of(keys, 0, limits).upTo(12), model.clock().nowNs()));
    model.pass(2 * DEADLINE_NS);
    server.answer();
    server.answer();
    assertEquals(List.of("debt of 2"), server.debts());
  }

  @Test
  void aQuestionMayHaveADeadlineOfItsOwn() {
    ask(1); // is away
    ask(2);
    key();
    question.check(callback, 3).of(keys, 0, limits).within(MS_NS);
    assertNull(store.ask(question, model.clock().nowNs()));
    key();
    question.check(callback, 4).of(keys, 0, limits).within(TimeUnit.SECONDS.toNanos(1));
    assertNull(store.ask(question, model.clock().nowNs()));
    model.pass(2 * MS_NS);
    assertEquals(List.of("3 DEADLINE"), told);
    model.pass(DEADLINE_NS);
    assertEquals(List.of("3 DEADLINE", "1 DEADLINE", "2 DEADLINE"), told);
    server.answer();
    server.answer();
    assertEquals("4 allowed", told.get(3));
  }

  @Test
  void tellsEachTakerOfItsOwnTickets() {
    final List<Long> others = new ArrayList<>();
    StoreCallback other =
        new StoreCallback() {
          @Override
          public void decided(long ticket, StoreDecision decision) {
            others.add(ticket);
          }

          @Override
          public boolean unavailable(long ticket, StoreFault fault) {
            throw new AssertionError(fault);
          }
        };
    ask(-1);
    ask(7);
    key();
    assertNull(store.ask(question.check(other, 7).of(keys, 0, limits), model.clock().nowNs()));
    server.answer();
    server.answer();
    assertEquals(List.of("-1 allowed", "7 allowed"), told);
    assertEquals(List.of(7L), others);
  }

  private StoreFault ask(long ticket) {
    return ask(model, ticket);
  }

  private StoreFault ask(ModelStore from, long ticket) {
    key();
    return from.store()
        .ask(question.check(callback, ticket).of(keys, 0, limits), from.clock().nowNs());
  }

  private void key() {
    keys.clear();
    byte[] name = "rl:{p000}:d:i:r".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    keys.buffer().putBytes(0, name);
    keys.add(name.length, 0, 7, 7);
  }

  private void refund() {
    key();
    store.ask(question.giveBack(0, grantedAtUs, 0).of(keys, 0, limits), model.clock().nowNs());
  }

  private long charged() {
    return server.charges().values().stream().mapToLong(Long::longValue).sum();
  }

  private long grantedAtUs;

  private final class Callback implements StoreCallback {
    @Override
    public void decided(long ticket, StoreDecision decision) {
      grantedAtUs = decision.decidedAtUs();
      granted.add(decision.granted());
      tell(ticket + (decision.allowed() ? " allowed" : " refused"));
    }

    @Override
    public boolean unavailable(long ticket, StoreFault fault) {
      tell(ticket + " " + fault);
      return passes;
    }

    private void tell(String what) {
      told.add(what);
      onTold.run();
    }
  }

  private static final class Refunded implements StoreObserver {
    private long lost;

    @Override
    public void storeRefunds(long requestCount, boolean sent) {
      lost += sent ? 0 : requestCount;
    }
  }
}
