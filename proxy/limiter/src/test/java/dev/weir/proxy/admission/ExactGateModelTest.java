package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests of rules with several keys, on servers that remember each grant: none is given back
 * twice, and what is charged in the end is what has passed.
 */
class ExactGateModelTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);
  private static final int LIMIT = 5;
  private static final int ROUNDS = 40;
  private static final int STEPS = 150;

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 16);

  @ParameterizedTest
  @CsvSource({
    "2, 2, SHARDED, false", "3, 2, SHARDED, false", "5, 3, SHARDED, false", "3, 2, SHARDED, true",
    "2, 2, CLUSTER, false", "3, 3, CLUSTER, false", "4, 2, CLUSTER, true", "3, 1, CLUSTER, true",
  })
  void givesNothingBackTwiceAndLeavesNothingCharged(
      int keys, int servers, Topology topology, boolean fails) {
    long errors = InternalErrors.count();
    int passed = 0;
    int exact = 0;
    for (int seed = 0; seed < ROUNDS; seed++) {
      Round round = new Round(new Random(seed), keys, servers, topology, fails);
      round.run();
      passed += round.clients.passedCount;
      exact += round.lostRefundCount == 0 ? 1 : 0;
    }
    assertTrue(passed > ROUNDS / 2, passed + " passed");
    assertTrue(fails || exact > ROUNDS / 2, exact + " rounds without a lost refund");
    assertEquals(errors, InternalErrors.count());
  }

  private final class Round implements StoreObserver {
    private final Random random;
    private final int keyCount;
    private final boolean fails;
    private final List<ModelServer> servers;
    private final ModelStore store;
    private final AdmissionHandler admission;
    private final Question question = new Question();
    private final ModelClients clients;

    private long lostRefundCount;

    Round(Random random, int keyCount, int serverCount, Topology topology, boolean fails) {
      this.random = random;
      this.keyCount = keyCount;
      this.fails = fails;
      servers = IntStream.rangeClosed(1, serverCount).mapToObj(ModelServer::new).toList();
      LoopMetrics metrics = new Metrics().newLoop();
      boolean isCluster = topology == Topology.CLUSTER;
      store = new ModelStore(servers, List.of(), isCluster, this, DEADLINE_NS);
      long[] costs = new Random(random.nextInt()).longs(keyCount, 1, 3).toArray();
      admission = ModelAdmission.of(store, topology, DEADLINE_NS, tables, metrics, rule(costs));
      clients = new ModelClients(admission, store, servers, random, costs);
    }

    private static RuleSpec rule(long[] costs) {
      List<BudgetSpec.Builder> budgets = new ArrayList<>();
      for (int key = 0; key < costs.length; key++) {
        budgets.add(
            new BudgetSpec.Builder()
                .algorithm(Algorithm.FIXED_WINDOW)
                .rate(Rate.parse(LIMIT + key % 2 + "/365d"))
                .cost(costs[key])
                .key(KeySpec.parse("header:x-" + key)));
      }
      return RuleSpec.builder("r")
          .limits(budgets)
          .mode(Mode.EXACT)
          .onStoreFailure(OnStoreFailure.CLOSED)
          .build();
    }

    void run() {
      try (store) {
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
        case 0, 1, 2, 3, 4, 5 -> ask();
        case 6, 7, 8, 9, 10, 11, 12, 13 -> clients.answer(server);
        case 14, 15 -> store.pass(random.nextInt(2_000_000));
        case 16 -> store.pass(random.nextInt((int) DEADLINE_NS));
        case 17 -> clients.leave();
        case 18, 19 -> store.run();
        case 20 -> server.lose(random.nextBoolean());
        default -> server.failsNextWrite = server.isOpen();
      }
    }

    private void ask() {
      String[] fields = new String[2 * keyCount];
      for (int key = 0; key < keyCount; key++) {
        fields[2 * key] = "x-" + key;
        fields[2 * key + 1] = "k" + key + "i" + random.nextInt(2);
      }
      clients.ask(question.traffic(TextRequest.of("GET", "/", fields)), fields);
    }

    @Override
    public void storeRefunds(long requestCount, boolean sent) {
      lostRefundCount += sent ? 0 : requestCount;
    }

    private void check() {
      for (ModelServer server : servers) {
        assertEquals(List.of(), server.faults());
        server
            .charges()
            .forEach(
                (name, charged) -> {
                  long had = clients.passed(name);
                  assertTrue(charged >= had, name + ": charged " + charged + " of " + had);
                  if (!fails && lostRefundCount == 0) {
                    long most = clients.most(name);
                    assertTrue(charged <= most, name + ": charged " + charged + " of " + most);
                  }
                });
      }
      clients
          .passed()
          .forEach((name, count) -> assertTrue(count <= LIMIT + 1, name + ": " + count));
    }
  }
}
