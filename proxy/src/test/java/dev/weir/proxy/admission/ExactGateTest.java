package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.redis.ModelServer;
import dev.weir.proxy.redis.ModelStore;
import dev.weir.proxy.redis.Topology;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Exchange;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Algorithm;
import dev.weir.proxy.rule.KeySpec;
import dev.weir.proxy.rule.Mode;
import dev.weir.proxy.rule.OnStoreFailure;
import dev.weir.proxy.rule.Rate;
import dev.weir.proxy.rule.RuleSpec;
import dev.weir.proxy.rule.TextRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long a refusal is remembered that a refund ends. */
class ExactGateTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);
  private static final long DAY_NS = TimeUnit.DAYS.toNanos(1);

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final ModelServer server = new ModelServer(1);
  private final ModelStore store =
      new ModelStore(List.of(server), List.of(), false, metrics.store(), DEADLINE_NS);
  private final RuleSpec rule =
      RuleSpec.builder("r")
          .algorithm(Algorithm.FIXED_WINDOW)
          .rate(Rate.parse("1/365d"))
          .key(KeySpec.parse("header:x-user"))
          .mode(Mode.EXACT)
          .onStoreFailure(OnStoreFailure.CLOSED)
          .build();
  private final AdmissionHandler admission =
      ModelAdmission.of(store, Topology.STANDALONE, DEADLINE_NS, tables, metrics, rule);
  private final List<String> told = new ArrayList<>();

  @AfterEach
  void close() {
    store.close();
    tables.close();
  }

  @Test
  void aRefusalIsForgottenWhenWhatWasGrantedTooLateHasBeenGivenBack() {
    ask("late");
    store.pass(DEADLINE_NS / 2);
    ask("beside"); // is gathered
    store.pass(TimeUnit.MILLISECONDS.toNanos(2));
    ask("refused"); // takes it along, in a call that is executed before the refund
    store.pass(DEADLINE_NS / 2);
    assertEquals(List.of("late STORE_UNAVAILABLE"), told);
    server.answer();
    server.answer();
    assertEquals(List.of("beside OVER_LIMIT", "refused OVER_LIMIT"), told.subList(1, 3));
    server.answer(); // the refund
    ask("next");
    server.answer();
    assertEquals("next allowed", told.get(3));
  }

  @Test
  void aRefusalIsAskedForAnewWithinSecondsAndTellsTheWholeWait() {
    ask("first");
    server.answer();
    ask("refused");
    server.answer();
    int before = server.executed().size();
    store.pass(TimeUnit.SECONDS.toNanos(5) - 1);
    ask("proven");
    assertEquals(0, server.pendingCount(), "nothing is asked");
    assertTrue(retryAfterNs > DAY_NS - TimeUnit.SECONDS.toNanos(6), retryAfterNs + " ns");
    server.forget(); // somebody else's refund
    store.pass(2);
    ask("anew");
    server.answer();
    assertEquals(before + 1, server.executed().size());
    assertEquals(
        List.of("first allowed", "refused OVER_LIMIT", "proven OVER_LIMIT", "anew allowed"), told);
  }

  private long retryAfterNs;

  private void ask(String name) {
    Client client = new Client(name);
    long nowNs = store.clock().nowNs();
    if (admission.admit(TextRequest.of("GET", "/", "x-user", "u"), client, nowNs)
        == Admission.SETTLED) {
      client.tell(admission.verdict());
    }
  }

  private final class Client implements Exchange {
    private final String name;

    Client(String name) {
      this.name = name;
    }

    @Override
    public void allowed(Verdict verdict) {
      tell(verdict);
    }

    @Override
    public void refused(Verdict verdict) {
      tell(verdict);
    }

    private void tell(Verdict verdict) {
      retryAfterNs = verdict.retryAfterNs();
      told.add(name + ' ' + (verdict.allowed() ? "allowed" : verdict.refusal()));
    }
  }
}
