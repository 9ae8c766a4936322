package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.Topology;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rules with a limit of this node by one key and limits of the store by others, at different costs,
 * beside a model that only adds up what passed: what a budget is charged with in the end, on
 * whichever side, is what those took that passed, or left before they knew.
 */
class SeveralGatesModelTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);
  private static final int LIMIT = 30;
  private static final int ROUNDS = 40;
  private static final int STEPS = 150;

  /** Costs by key: the first is this node's. */
  private static final long[] COSTS = {2, 3, 5};

  @ParameterizedTest
  @CsvSource({"1, false", "1, true", "2, false", "2, true"})
  void undoesWhatPassedWhenTheLastGateRefuses(int servers, boolean fails) {
    long errors = InternalErrors.count();
    int passed = 0;
    int undone = 0;
    for (int seed = 0; seed < ROUNDS; seed++) {
      Round round = new Round(new Random(seed), servers, fails);
      round.run();
      passed += round.clients.passedCount;
      undone += round.clients.refusedLateCount;
    }
    assertTrue(passed > ROUNDS, passed + " passed");
    assertTrue(undone > ROUNDS, undone + " were refused by the last gate");
    assertEquals(errors, InternalErrors.count());
  }

  private static final class Round implements StoreObserver {
    private final Random random;
    private final boolean fails;
    private final LimitTables tables =
        LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);
    private final List<ModelServer> servers;
    private final ModelStore store;
    private final AdmissionHandler admission;
    private final Question question = new Question();
    private final ModelClients clients;

    private long lostRefundCount;

    Round(Random random, int serverCount, boolean fails) {
      this.random = random;
      this.fails = fails;
      servers = IntStream.rangeClosed(1, serverCount).mapToObj(ModelServer::new).toList();
      LoopMetrics metrics = new Metrics().newLoop();
      store = new ModelStore(servers, List.of(), false, this, DEADLINE_NS);
      Topology topology = serverCount == 1 ? Topology.STANDALONE : Topology.SHARDED;
      admission = ModelAdmission.of(store, topology, DEADLINE_NS, tables, metrics, rule());
      clients = new ModelClients(admission, store, servers, random, COSTS);
    }

    private static RuleSpec rule() {
      List<BudgetSpec.Builder> limits = new ArrayList<>();
      for (int key = 0; key < COSTS.length; key++) {
        limits.add(
            new BudgetSpec.Builder()
                .algorithm(Algorithm.FIXED_WINDOW)
                .rate(Rate.parse(LIMIT + "/365d"))
                .mode(key == 0 ? Mode.LOCAL : Mode.EXACT)
                .key(KeySpec.parse("header:x-" + key)));
      }
      return RuleSpec.builder("r")
          .limits(limits)
          .mode(Mode.EXACT)
          .onStoreFailure(OnStoreFailure.CLOSED)
          .build();
    }

    void run() {
      try (tables;
          store) {
        for (int step = 0; step < STEPS; step++) {
          step();
        }
        clients.settle(DEADLINE_NS);
        check();
      }
    }

    private void step() {
      ModelServer server = servers.get(random.nextInt(servers.size()));
      switch (random.nextInt(fails ? 22 : 20)) {
        case 0, 1, 2, 3, 4, 5, 6, 7 -> ask();
        case 8, 9, 10, 11, 12, 13 -> clients.answer(server);
        case 14, 15 -> store.pass(random.nextInt(2_000_000));
        case 16 -> clients.leave();
        case 17 -> store.pass(random.nextInt((int) DEADLINE_NS / 2));
        case 18, 19 -> store.run();
        case 20 -> server.lose(random.nextBoolean());
        default -> server.failsNextWrite = server.isOpen();
      }
    }

    private void ask() {
      String[] fields = new String[2 * COSTS.length];
      for (int key = 0; key < COSTS.length; key++) {
        fields[2 * key] = "x-" + key;
        fields[2 * key + 1] = "k" + key + "i" + random.nextInt(key == 0 ? 4 : 2);
      }
      question.traffic(TextRequest.of("GET", "/", fields));
      for (int key = 0; key < COSTS.length; key++) {
        question.cost(key, COSTS[key]);
      }
      clients.ask(question, fields);
    }

    @Override
    public void storeRefunds(long requestCount, boolean sent) {
      lostRefundCount += sent ? 0 : requestCount;
    }

    private void check() {
      for (int identity = 0; identity < 4; identity++) {
        String name = "k0i" + identity;
        check(name, chargedHere(name), true);
      }
      for (ModelServer server : servers) {
        assertEquals(List.of(), server.faults());
        boolean isExact = !fails && lostRefundCount == 0;
        server.charges().forEach((name, charged) -> check(name, charged, isExact));
      }
    }

    private void check(String name, long charged, boolean isExact) {
      long had = clients.passed(name);
      assertTrue(had <= LIMIT, name + ": " + had + " passed");
      assertTrue(charged >= had, name + ": charged " + charged + " of " + had);
      long most = clients.most(name);
      assertTrue(!isExact || charged <= most, name + ": charged " + charged + " of " + most);
    }

    /** Looks at this node's budget, by way of the gate that would be asked first. */
    private long chargedHere(String name) {
      question.start(Operation.PEEK, Purpose.OPERATOR).rule("r").cost(LIMIT + 1).wantsRows();
      for (int key = 0; key < COSTS.length; key++) {
        byte[] identity = name.getBytes(StandardCharsets.US_ASCII);
        question.identity("header:x-" + key, new UnsafeBuffer(identity), 0, identity.length);
      }
      Asked asked = admission.ask(question, (late, verdict) -> {}, store.clock().nowNs());
      assertEquals(Admission.SETTLED, asked.ticket(), "it would never pass here");
      return LIMIT - asked.verdict().row(0).remaining();
    }
  }
}
