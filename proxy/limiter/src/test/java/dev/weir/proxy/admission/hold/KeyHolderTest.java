package dev.weir.proxy.admission.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.map.StoreKeys;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requests of one key, with a store that answers when it is told to. */
class KeyHolderTest {
  private static final long MS = 1_000_000;
  private static final long DEADLINE_NS = 5 * MS;
  private static final int CAPACITY = 10;

  private final ModelServer server = new ModelServer(1);
  private final ModelStore model =
      new ModelStore(List.of(server), List.of(), false, new StoreObserver() {}, DEADLINE_NS);
  private final Metrics metrics = new Metrics();
  private final HoldKeeper keeper =
      new HoldKeeper(model.store(), model.clock(), metrics.newLoop().store().holds(), 16);
  private final StoreKeys names = new StoreKeys(1);
  private final BudgetGroup group = group();
  private final List<StoreHold> asked = new ArrayList<>();

  /** By request, in the order in which it was asked: what became of it. */
  private final List<String> told = new ArrayList<>();

  KeyHolderTest() {
    byte[] name = "rl:{p000}:d:i:r".getBytes(StandardCharsets.US_ASCII);
    names.clear();
    names.buffer().putBytes(0, name);
    names.add(name.length, 0, 7, 1);
  }

  @AfterEach
  void close() {
    assertEquals(List.of(), server.faults());
    model.close();
  }

  private static BudgetGroup group() {
    RuleSpec rule =
        RuleSpec.builder("r")
            .key(KeySpec.ALL)
            .mode(Mode.EXACT)
            .limits(List.of(new BudgetSpec.Builder().concurrency(CAPACITY)))
            .build();
    return RuleSet.compile(List.of(rule), null, false, RuleSet.EMPTY, 0, 1).find("r").group(0);
  }

  private final StoreHold.Asker asker =
      new StoreHold.Asker() {
        @Override
        public void held(int check, boolean isGranted, StoreDecision decision) {
          told.set(check, isGranted ? "held" : "refused");
        }

        @Override
        public void notHeld(int check, StoreFault fault) {
          told.set(check, fault.toString());
        }
      };

  /** Asks for requests, one for each cost; their names are their places. */
  private void ask(long... costs) {
    for (long cost : costs) {
      long nowNs = model.clock().nowNs();
      StoreHold hold = keeper.begin(1, group, names, 0, nowNs);
      hold.cost(0, cost);
      asked.add(hold);
      told.add("waits");
      int check = told.size() - 1;
      StoreFault fault = keeper.ask(hold, asker, check, nowNs + DEADLINE_NS, false, nowNs);
      if (fault != null) {
        told.set(check, "not asked: " + fault);
      }
    }
  }

  private void end(int request) {
    asked.get(request).finalCost(0, 0);
    keeper.settle(asked.get(request));
  }

  private void answer() {
    server.answer();
    model.run();
  }

  private void assertTold(String... expected) {
    assertEquals(Arrays.asList(expected), told);
  }

  /** The last messages that the server got, by what they were granted. */
  private void assertHolds(String... expected) {
    List<String> executed =
        server.executed().stream().map(text -> text.substring(0, text.indexOf(" ["))).toList();
    assertEquals(
        Arrays.asList(expected),
        executed.subList(executed.size() - expected.length, executed.size()));
  }

  private int figure(String name) {
    metrics.exposeStore();
    String all = new String(metrics.expose(null).body(), StandardCharsets.UTF_8);
    Matcher found = Pattern.compile("(?m)^" + Pattern.quote(name) + " (\\d+)").matcher(all);
    assertTrue(found.find(), name);
    return Integer.parseInt(found.group(1));
  }

  private void assertMessages(int asks, int ends, int renewals) {
    assertEquals(asks, figure("weir_store_hold_messages_total{reason=\"ask\"}"));
    assertEquals(ends, figure("weir_store_hold_messages_total{reason=\"end\"}"));
    assertEquals(renewals, figure("weir_store_hold_messages_total{reason=\"renewal\"}"));
  }

  private void assertEnds(int all, int untold) {
    assertEquals(all, figure("weir_store_holds_ended_total"));
    assertEquals(untold, figure("weir_store_holds_ended_open"));
  }

  @Test
  void countsEndsUntilTheStoreHasConfirmedThem() {
    ask(1);
    answer();
    ask(1);
    answer();
    assertEnds(0, 0);
    end(0);
    assertMessages(2, 1, 0);
    end(1);
    assertEnds(2, 2);
    answer(); // of the first end
    assertEnds(2, 1);
    model.pass(DEADLINE_NS + MS); // the second is lost
    assertEnds(2, 1);
    answer();
    for (int i = 0; i < 4; i++) {
      model.pass(Holder.REPEAT_NS / 2);
      while (server.pendingCount() > 0) {
        answer();
      }
    }
    assertEnds(2, 0);
    assertEquals(1, figure("weir_store_held_keys_open"));
    model.pass(Holder.LIFE_NS);
    assertEquals(0, figure("weir_store_held_keys_open"));
    assertEquals(1, figure("weir_store_held_keys_total"));
  }

  @Test
  void countsRenewals() {
    ask(1);
    answer();
    model.pass(Holder.RENEWAL_NS + HoldKeeper.SWEEP_NS);
    assertMessages(1, 0, 1);
  }

  @Test
  void countsAnEndThatTheStoreWillNeverKnow() {
    ask(1);
    answer();
    end(0);
    server.forgetHolders();
    answer();
    assertEnds(1, 1);
    model.pass(2 * Holder.LIFE_NS);
    while (server.pendingCount() > 0) {
      answer();
    }
    model.pass(2 * Holder.LIFE_NS);
    assertEnds(1, 0);
  }

  /** Memory for the model's own call is the same, however many requests it decides on. */
  @Test
  @Tag("allocation")
  void requestsAreAskedForToldAndEndedWithoutAllocating() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long leastAsked = Long.MAX_VALUE;
    long leastEnded = Long.MAX_VALUE;
    long[] leastTold = {Long.MAX_VALUE, Long.MAX_VALUE};
    StoreHold[] holds = new StoreHold[CAPACITY];
    StoreHold.Asker nobody =
        new StoreHold.Asker() {
          @Override
          public void held(int check, boolean isGranted, StoreDecision decision) {}

          @Override
          public void notHeld(int check, StoreFault fault) {}
        };
    for (int round = 0; round < 2_000; round++) {
      int count = round % 2 == 0 ? 1 : CAPACITY - 1;
      holds[0] = askFor(nobody);
      long start = threads.getCurrentThreadAllocatedBytes();
      for (int i = 1; i <= count; i++) {
        holds[i] = askFor(nobody);
      }
      long asked = threads.getCurrentThreadAllocatedBytes();
      server.answer(); // and sends the next message
      long sent = threads.getCurrentThreadAllocatedBytes();
      server.answer();
      long told = threads.getCurrentThreadAllocatedBytes();
      keeper.undo(holds[0]); // sends a message
      long end = threads.getCurrentThreadAllocatedBytes();
      for (int i = 1; i <= count; i++) {
        keeper.settle(holds[i]);
      }
      long ended = threads.getCurrentThreadAllocatedBytes();
      answer();
      answer();
      assertEquals(0, server.pendingCount());
      assertEquals(0, server.heldUnits());
      leastAsked = Math.min(leastAsked, asked - start);
      leastTold[round % 2] = Math.min(leastTold[round % 2], told - sent);
      leastEnded = Math.min(leastEnded, ended - end);
    }
    assertEquals(0, leastAsked);
    assertEquals(leastTold[0], leastTold[1]);
    assertEquals(0, leastEnded);
  }

  private StoreHold askFor(StoreHold.Asker nobody) {
    long nowNs = model.clock().nowNs();
    StoreHold hold = keeper.begin(1, group, names, 0, nowNs);
    hold.cost(0, 1);
    assertNull(keeper.ask(hold, nobody, 0, nowNs + DEADLINE_NS, false, nowNs));
    return hold;
  }

  @Test
  void aRequestDoesNotWaitForTheAnswerToAnEnd() {
    ask(1);
    answer();
    end(0);
    assertEquals(1, server.pendingCount(), "the end");
    model.pass(4 * MS);
    ask(1);
    assertEquals(2, server.pendingCount(), "the request");
    model.pass(2 * MS);
    answer();
    assertTold("held", "waits");
    answer();
    assertTold("held", "held");
    assertEquals(1, server.heldUnits());
  }

  @Test
  void anAnswerThatWasOvertakenIsNotUsed() {
    ask(1);
    answer();
    end(0);
    server.forgetHolders();
    ask(1);
    answer(); // forgotten, which is said again to the request
    assertTold("held", "waits");
    answer();
    answer();
    assertTold("held", "held");
    assertEquals(1, server.heldUnits());
    assertEquals(1, figure("weir_store_holds_forgotten_total"));
  }

  @Test
  void aMessageHasTheWholeDeadlineHoweverLongItsRequestsHaveWaited() {
    ask(1, 1, 1);
    model.pass(4 * MS);
    answer();
    assertTold("held", "waits", "waits");
    model.pass(4 * MS);
    assertTold("held", "waits", "waits");
    answer();
    assertTold("held", "held", "held");
  }

  @Test
  void requestsOfUnequalCostsAreAskedForTogether() {
    ask(1, 1, 2, 3);
    answer();
    answer();
    assertTold("held", "held", "held", "held");
    assertHolds("hold for 1 of 1", "hold for 1 of 1");
    assertEquals(7, server.heldUnits());
  }

  @Test
  void requestsOfUnequalCostsAreAskedForApartIfTheirSumDoesNotFit() {
    ask(5, 1, 1, 1, 4, 2);
    answer();
    assertHolds("hold for 1 of 1");
    answer();
    assertHolds("hold for 0 of 1");
    answer();
    assertHolds("hold for 3 of 3");
    answer();
    assertHolds("hold for 0 of 1");
    answer();
    assertHolds("hold for 1 of 1");
    assertTold("held", "held", "held", "held", "refused", "held");
    assertEquals(10, server.heldUnits());
    assertEquals(0, server.pendingCount());
  }

  @Test
  void requestsOfEqualCostsAreAskedForWithoutASumAsManyAsFit() {
    ask(1, 4, 4, 4);
    answer();
    answer();
    assertHolds("hold for 1 of 1", "hold for 2 of 3");
    assertTold("held", "held", "held", "refused");
  }

  @Test
  void requestsOfEqualCostsThatWereRefusedTogetherAskForNoMoreThanAMessageCanSay() {
    long[] costs = new long[20];
    Arrays.fill(costs, (1L << 50) - 1);
    costs[0] = 1;
    costs[1] = 1;
    ask(costs);
    while (server.pendingCount() > 0) {
      answer();
    }
    assertEquals(List.of("held", "held"), told.subList(0, 2));
    assertEquals(Set.of("refused"), Set.copyOf(told.subList(2, costs.length)));
  }

  @Test
  void aKeyGoesOnAfterAMessageThatCouldNotBeWritten() {
    ask(1L << 54);
    assertTold("not asked: " + StoreFault.MALFORMED_REPLY);
    ask(1); // in the same batch, which is broken
    server.refuse("ERR");
    model.run();
    ask(1);
    answer();
    assertTold("not asked: " + StoreFault.MALFORMED_REPLY, "" + StoreFault.ERROR_REPLY, "held");
  }
}
