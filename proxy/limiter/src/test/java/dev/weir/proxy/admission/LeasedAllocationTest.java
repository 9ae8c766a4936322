package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.Topology;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Memory for a request that is decided by what is in hand. */
@Tag("allocation")
class LeasedAllocationTest {
  private static final long DEADLINE_NS = 5_000_000;
  private static final int ROUNDS = 2_000;
  private static final RuleSpec RULE =
      RuleSpec.builder("r")
          .algorithm(Algorithm.FIXED_WINDOW)
          .rate(Rate.parse("1000000000/365d"))
          .key(KeySpec.parse("header:x-user"))
          .mode(Mode.LEASED)
          .build();

  private final LoopMetrics metrics = new Metrics().newLoop();
  private final ModelServer server = new ModelServer(1);
  private final Question question =
      new Question().traffic(TextRequest.of("GET", "/", "x-user", "u"));
  private final VerdictListener nobody = (ticket, verdict) -> {};
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private AdmissionHandler admission;
  private long atOnce;

  @Test
  void allocatesNothingPerDecisionByHand() {
    try (LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 0);
        ModelStore store =
            new ModelStore(List.of(server), List.of(), false, metrics.store(), DEADLINE_NS)) {
      admission = ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, metrics, RULE);
      long least = Long.MAX_VALUE;
      for (int i = 0; i < 60 && least > 0; i++) {
        for (int turn = 0; turn < ROUNDS; turn++) {
          askAndAnswer(store);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        atOnce = 0;
        for (int turn = 0; turn < ROUNDS && server.pendingCount() == 0; turn++) {
          ask(store);
        }
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        if (server.pendingCount() == 0) { // nothing was asked meanwhile
          assertEquals(ROUNDS, atOnce);
          least = Math.min(least, allocated);
        }
      }
      assertEquals(0, least);
      assertTrue(server.faults().isEmpty());
    }
  }

  /** Memory for the answer of the model of the server is the same, whoever waits for it. */
  @Test
  void allocatesNothingPerRequestThatWaitsForAnAsk() {
    try (LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 0);
        ModelStore store =
            new ModelStore(List.of(server), List.of(), false, metrics.store(), DEADLINE_NS)) {
      admission = ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, metrics, RULE);
      for (int turn = 0; turn < ROUNDS; turn++) {
        askAndAnswer(store);
      }
      long leastAsked = Long.MAX_VALUE;
      long[] leastServed = {Long.MAX_VALUE, Long.MAX_VALUE};
      for (int i = 0; i < 400; i++) {
        int waiting = i % 2 == 0 ? 0 : 50;
        store.forget(); // so that the hand is empty
        store.pass(1);
        ask(store);
        assertEquals(1, server.pendingCount());
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int turn = 0; turn < waiting; turn++) {
          ask(store);
        }
        long asked = threads.getCurrentThreadAllocatedBytes();
        server.answer();
        long served = threads.getCurrentThreadAllocatedBytes();
        assertEquals(0, server.pendingCount(), "asked for themselves");
        leastAsked = waiting > 0 ? Math.min(leastAsked, asked - before) : leastAsked;
        leastServed[i % 2] = Math.min(leastServed[i % 2], served - asked);
        store.pass(10_000);
      }
      assertEquals(0, leastAsked);
      assertEquals(leastServed[0], leastServed[1]);
      assertTrue(server.faults().isEmpty());
    }
  }

  private void askAndAnswer(ModelStore store) {
    ask(store);
    while (server.pendingCount() > 0) {
      server.answer();
    }
    store.pass(10_000);
  }

  private void ask(ModelStore store) {
    if (admission.ask(question, nobody, store.clock().nowNs()).verdict() != null) {
      atOnce++;
    }
  }
}
