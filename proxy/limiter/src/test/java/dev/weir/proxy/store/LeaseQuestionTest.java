package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.lease.LeaseLife;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A lease and its refunds, whatever its server does. */
class LeaseQuestionTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LIFE_US = 100_000;
  private static final String KEY = " [rl:{p000}:d:i:r]";

  private final ModelServer server = new ModelServer(1);
  private final ModelServer learned = new ModelServer(2);
  private final Counts counts = new Counts();
  private final ModelStore model =
      new ModelStore(List.of(server), List.of(learned), true, counts, DEADLINE_NS);
  private final LoopStore store = model.store();
  private final List<String> told = new ArrayList<>();
  private final StoreKeys keys = new StoreKeys(1);
  private final StoreQuestion question = new StoreQuestion();
  private final ScriptLimit[] limits = {ScriptLimit.fixedWindow(100, 1_000_000, 0)};
  private boolean passes;
  private long decidedAtUs;
  private long grantingServer;
  private long endNs;
  private int changes;

  @AfterEach
  void close() {
    model.close();
    assertEquals(List.of(), server.faults());
  }

  private StoreQuestion about(StoreQuestion any) {
    keys.clear();
    byte[] name = "rl:{p000}:d:i:r".getBytes(StandardCharsets.US_ASCII);
    keys.buffer().putBytes(0, name);
    keys.add(name.length, 0, 7, 7);
    return any.of(keys, 0, limits);
  }

  private void lease(long ticket, long need, long keep) {
    about(question.lease(new Callback(), ticket)).upTo(need).keep(keep, LIFE_US);
    assertNull(store.ask(question, model.clock().nowNs()));
  }

  private void check(long ticket) {
    Callback callback = new Callback();
    StoreCallback ofCheck =
        new StoreCallback() {
          @Override
          public void decided(long named, StoreDecision decision) {
            callback.decided(named, decision);
          }

          @Override
          public boolean unavailable(long named, StoreFault fault) {
            return callback.unavailable(named, fault);
          }
        };
    about(question.check(ofCheck, ticket));
    assertNull(store.ask(question, model.clock().nowNs()));
  }

  private StoreFault giveBack(long requests, long from) {
    about(question.giveBack(from, decidedAtUs, LIFE_US)).upTo(requests);
    return store.ask(question, model.clock().nowNs());
  }

  private long charged() {
    return server.charges().values().stream().mapToLong(Long::longValue).sum();
  }

  @Test
  void isGrantedForNowAndKeepsUntilALifeAfterItWasSent() {
    long sentNs = model.clock().nowNs();
    lease(1, 2, 10);
    server.answer();
    assertEquals(List.of("1 granted 2, kept 10 for 100000"), told);
    assertEquals(LeaseLife.endNs(sentNs, LIFE_US), endNs);
    assertTrue(endNs < sentNs + LIFE_US * 1_000);
    assertEquals(12, charged());
  }

  @Test
  void travelsWithOthersAndChecksThatComeBehindItShareIt() {
    lease(1, 1, 4);
    lease(2, 1, 4);
    check(3);
    lease(4, 0, 4);
    server.answer();
    server.executed().clear();
    server.answer();
    assertEquals(List.of("lease" + KEY, "lease" + KEY), server.executed());
    assertEquals(
        List.of(
            "1 granted 1, kept 4 for 100000",
            "2 granted 1, kept 4 for 100000",
            "3 granted 1, kept 0 for 0",
            "4 granted 0, kept 4 for 100000"),
        told);
  }

  @Test
  void grantsALeaseAndTheChecksThatShareItInTheOrderInWhichTheyCame() {
    lease(1, 98, 0);
    check(2);
    check(3);
    lease(4, 1, 8);
    check(5);
    server.answer();
    server.answer();
    assertEquals(
        List.of(
            "1 granted 98, kept 0 for 0",
            "2 granted 1, kept 0 for 0",
            "3 granted 1, kept 0 for 0",
            "4 granted 0, kept 0 for 0",
            "5 granted 0, kept 0 for 0"),
        told);
    assertEquals(100, charged());
  }

  @Test
  void whatChecksThatShareALeaseWereGrantedTooLateGoesBackOnce() {
    lease(9, 1, 0);
    lease(1, 1, 8);
    check(2);
    check(3);
    server.answer();
    model.pass(2 * DEADLINE_NS);
    told.clear();
    server.answer();
    assertEquals(List.of("1 late, kept 8 for 100000"), told);
    while (server.pendingCount() > 0) {
      server.answer();
    }
    assertEquals(1 + 8, charged());
  }

  @Test
  void aLeaseAndTheChecksThatShareItAreSentApartAndTogetherAgain() {
    lease(9, 1, 0);
    lease(1, 1, 8);
    check(2);
    lease(3, 0, 8);
    server.answer();
    server.refuse("TRYAGAIN moving");
    server.executed().clear();
    while (server.pendingCount() > 0) {
      server.answer();
    }
    assertEquals(List.of("lease" + KEY, "lease" + KEY), server.executed());
    assertEquals(
        List.of(
            "9 granted 1, kept 0 for 0",
            "1 granted 1, kept 8 for 100000",
            "2 granted 1, kept 0 for 0",
            "3 granted 0, kept 8 for 100000"),
        told);
    assertEquals(1 + 10 + 8, charged());
  }

  @Test
  void whatIsKeptTooLateIsToldAndWhatWasGrantedTooLateGoesBack() {
    lease(1, 3, 10);
    model.pass(2 * DEADLINE_NS);
    server.answer();
    assertEquals(List.of("1 DEADLINE", "1 late, kept 10 for 100000"), told);
    assertEquals(13, charged());
    server.answer();
    assertEquals(10, charged());
    assertEquals("refund" + KEY, server.executed().get(server.executed().size() - 1));
  }

  @Test
  void whatPassedWithoutADecisionIsPaidByWhatWasGrantedTooLate() {
    passes = true;
    lease(1, 3, 10);
    model.pass(2 * DEADLINE_NS);
    server.answer();
    assertEquals(List.of("1 DEADLINE", "1 late, kept 10 for 100000"), told);
    assertEquals(13, charged());
    assertEquals(0, server.pendingCount());
  }

  @Test
  void aLeaseThatWantedNothingNowOwesNothing() {
    passes = true;
    lease(1, 0, 10);
    model.pass(2 * DEADLINE_NS);
    server.refuse("ERR no");
    model.pass(TimeUnit.MILLISECONDS.toNanos(500));
    assertEquals(List.of("1 DEADLINE"), told);
    assertEquals(List.of(), server.debts());
  }

  @Test
  void aLostReplyIsNotAskedForAgain() {
    lease(1, 2, 10);
    server.lose(true);
    model.run();
    assertEquals(List.of("1 DISCONNECTED"), told);
    model.pass(TimeUnit.SECONDS.toNanos(5));
    assertEquals(0, server.pendingCount());
    assertEquals(12, charged());
  }

  @Test
  void isGivenBackToTheServerThatGrantedItAlsoOverAnotherConnection() {
    lease(1, 2, 10);
    server.answer();
    assertEquals(grantingServer, store.server(0));
    server.lose(false);
    model.run();
    assertEquals(0, store.server(0));
    assertEquals(StoreFault.DISCONNECTED, giveBack(4, grantingServer));
    assertEquals(4, counts.lost);
    model.pass(TimeUnit.SECONDS.toNanos(5));
    model.run();
    assertEquals(2, server.connections());
    assertEquals(grantingServer, store.server(0));
    assertNull(giveBack(4, grantingServer));
    server.answer();
    assertEquals(8, charged());
    assertEquals(4, counts.lost);
  }

  @Test
  void isNotGivenBackToAnotherServer() {
    lease(1, 2, 10);
    server.answer();
    assertEquals(StoreFault.DISCONNECTED, giveBack(4, grantingServer + 1));
    assertEquals(0, server.pendingCount());
    assertEquals(4, counts.lost);
  }

  @Test
  void isNotGivenBackWhereItsBatchIsSentOn() {
    lease(1, 2, 10);
    server.answer();
    about(question.check(new Callback(), 2)); // is away
    assertNull(store.ask(question, model.clock().nowNs()));
    assertNull(giveBack(4, grantingServer));
    about(question.check(new Callback(), 3));
    assertNull(store.ask(question, model.clock().nowNs()));
    server.answer();
    server.refuse("MOVED 1 127.0.0.1:2");
    model.run();
    assertEquals(4, counts.lost);
    learned.answer();
    assertEquals(List.of("check" + KEY), learned.executed());
    assertEquals("3 granted 1, kept 0 for 0", told.get(2));
  }

  @Test
  void tellsThatServersMayHaveChangedWhenOneIsThereAgain() {
    store.listen(
        new BudgetListener() {
          @Override
          public void givenBack(StoreKeys given, int key, long cost) {}

          @Override
          public void forget(byte[] name, int partition) {}

          @Override
          public void forgetAll() {}

          @Override
          public void serversChanged() {
            changes++;
          }
        });
    server.lose(false);
    model.run();
    assertEquals(0, changes);
    model.pass(TimeUnit.SECONDS.toNanos(5));
    model.run();
    assertNotEquals(0, changes);
  }

  private final class Callback implements LeaseCallback {
    @Override
    public void decided(long ticket, StoreDecision decision) {
      tell(ticket + " granted " + decision.granted(), decision);
    }

    @Override
    public boolean unavailable(long ticket, StoreFault fault) {
      told.add(ticket + " " + fault);
      return passes;
    }

    @Override
    public void keptLate(long ticket, StoreDecision decision) {
      assertEquals(0, decision.granted());
      tell(ticket + " late", decision);
    }

    private void tell(String what, StoreDecision decision) {
      told.add(what + ", kept " + decision.kept() + " for " + decision.lifeUs());
      decidedAtUs = decision.decidedAtUs();
      if (decision.kept() > 0) {
        grantingServer = decision.server();
        endNs = decision.leaseEndNs();
      }
    }
  }

  private static final class Counts implements StoreObserver {
    private long lost;

    @Override
    public void storeRefunds(long requestCount, boolean sent) {
      lost += sent ? 0 : requestCount;
    }
  }
}
