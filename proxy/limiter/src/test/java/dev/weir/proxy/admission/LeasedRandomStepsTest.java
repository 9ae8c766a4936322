package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.LeasedRig.DEADLINE_NS;
import static dev.weir.proxy.admission.LeasedRig.HEADERS;
import static dev.weir.proxy.admission.LeasedRig.LIFE_NS;
import static dev.weir.proxy.admission.LeasedRig.MS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.lease.LeaseKeeper;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random requests, clients that leave, charges that go back, late and lost answers, broken
 * connections, other rules and resets, for keys in mode leased: what passed was charged, whatever
 * happens, and nothing else stays charged if nothing was lost.
 */
class LeasedRandomStepsTest {
  /** More with {@code -Dweir.seeds=1000}. */
  private static final int SEEDS = Integer.getInteger("weir.seeds", 40);

  private static final int STEPS = 600;
  private static final int HANDS = 8;
  private static final int MOST_COST = 5;

  /** Events that one seed's steps meet. */
  private static final class Run implements StoreObserver, AutoCloseable {
    private final Random random;
    private final boolean isLossy;
    private final int keys;

    /** What a request costs of each limit, unless it says so itself. */
    private final long[] costs;

    private final Question question = new Question();
    private final List<Client> waiting = new ArrayList<>();
    private final Map<String, Long> passed = new HashMap<>();
    private final LeasedRig rig;
    private final ModelServer server;
    private final ModelStore store;
    private final AdmissionHandler admission;
    private int epoch;

    /** Units that may stay charged: of clients that left, and what no server took back. */
    private long mostLost;

    private int passedCount;

    Run(int seed, int keys, boolean isLossy) {
      this.random = new Random(seed);
      this.keys = keys;
      this.isLossy = isLossy;
      this.costs = new Random(seed).longs(keys, 1, seed % 2 == 0 ? 2 : MOST_COST + 1).toArray();
      this.rig = new LeasedRig(this, HANDS, rule(Mode.LEASED));
      this.server = rig.server;
      this.store = rig.store;
      this.admission = rig.admission;
    }

    @Override
    public void storeRefunds(long requests, boolean sent) {
      mostLost += sent ? 0 : requests * MOST_COST;
    }

    private RuleSpec rule(Mode mode) {
      String[] rates = new String[keys];
      for (int key = 0; key < keys; key++) {
        rates[key] = (key + 1) * 300 + "/365d";
      }
      return LeasedRig.rule(mode, costs, rates);
    }

    void step() {
      switch (random.nextInt(40)) {
        case 0 -> pass(random.nextInt(3) * LIFE_NS / 2);
        case 1 -> pass(random.nextLong(2 * DEADLINE_NS));
        case 2 -> leave();
        case 3 -> {
          mostLost += mostTaken();
          rig.publish(rule(random.nextInt(4) == 0 ? Mode.EXACT : Mode.LEASED));
        }
        case 4 -> spoil();
        case 5, 6, 7, 8, 9, 10, 11, 12, 13, 14 -> answer();
        case 15, 16, 17, 18 -> store.pass(random.nextLong(MS));
        default -> ask();
      }
      if (epoch > 0) {
        server.faults().clear(); // what was charged before a reset may go back after it
      }
      assertEquals(List.of(), server.faults());
      check();
    }

    private void pass(long ns) {
      mostLost += mostTaken();
      store.pass(ns);
    }

    /**
     * Units that waiting requests have taken from hands are lost if the lease is gone when they put
     * back.
     */
    private long mostTaken() {
      return keys == 1 ? 0 : (long) waiting.size() * MOST_COST;
    }

    private void check() {
      Map<String, Long> charges = server.charges();
      passed.forEach(
          (name, units) ->
              assertTrue(
                  units <= charges.getOrDefault(name, 0L),
                  () -> name + " passed " + units + ", charged " + charges));
    }

    private void answer() {
      for (int count = random.nextInt(4); count > 0 && server.pendingCount() > 0; count--) {
        server.answer();
      }
    }

    /** Events that may lose units. */
    private void spoil() {
      if (!isLossy) {
        return;
      }
      switch (random.nextInt(6)) {
        case 0 -> server.lose(random.nextBoolean());
        case 1 -> {
          if (server.pendingCount() > 0) {
            server.refuse("ERR of some kind");
          }
        }
        case 2 -> store.standStill(LIFE_NS);
        case 3, 4 -> {
          epoch++;
          passed.clear();
          server.forget();
          store.forget();
        }
        default -> store.pass(DEADLINE_NS);
      }
    }

    private void leave() {
      if (!waiting.isEmpty()) {
        Client client = waiting.remove(random.nextInt(waiting.size()));
        admission.ended(client.ticket, new RequestEnd().set(RequestEnd.How.CLIENT_GONE));
        if (!isLossy) {
          client.left();
        }
      }
    }

    private void ask() {
      String[] fields = new String[2 * keys];
      for (int key = 0; key < keys; key++) {
        fields[2 * key] = HEADERS[key];
        fields[2 * key + 1] = HEADERS[key].substring(2) + random.nextInt(key == 0 ? 12 : 2);
      }
      RequestView request = TextRequest.of("GET", "/", fields);
      long cost = random.nextInt(10) == 0 ? 1 + random.nextInt(MOST_COST) : Question.COST_OF_RULE;
      boolean isPeek = random.nextInt(30) == 0;
      question.start(
          isPeek ? Operation.PEEK : Operation.CHECK, isPeek ? Purpose.OPERATOR : Purpose.DECISION);
      question.request(request).cost(cost);
      if (random.nextInt(20) == 0) {
        question.deadlineNs(store.clock().nowNs() + random.nextLong(1, DEADLINE_NS));
      }
      Client client = new Client(fields, cost, isPeek);
      Asked asked = admission.ask(question, client, store.clock().nowNs());
      client.ticket = asked.ticket();
      if (asked.verdict() != null) {
        client.take(asked.verdict());
      } else {
        waiting.add(client);
      }
    }

    private final class Client implements VerdictListener {
      private final String[] fields;
      private final long cost;
      private final boolean isPeek;
      private final int asked = epoch;
      private long ticket;

      Client(String[] fields, long cost, boolean isPeek) {
        this.fields = fields;
        this.cost = cost;
        this.isPeek = isPeek;
      }

      @Override
      public void decided(long named, Verdict verdict) {
        assertTrue(waiting.remove(this), "told twice, or after it left");
        take(verdict);
      }

      void take(Verdict verdict) {
        if (!verdict.allowed() || isPeek) {
          return;
        }
        passedCount++;
        if (random.nextInt(15) == 0) {
          int kept = admission.keep();
          if (kept != Admission.NOTHING_KEPT) {
            admission.giveBack(kept);
            return;
          }
        }
        if (asked == epoch) {
          count();
        }
      }

      private void count() {
        for (int key = 0; key < keys; key++) {
          passed.merge(fields[2 * key + 1], costOf(key), Long::sum);
        }
      }

      private long costOf(int key) {
        return isPeek ? 0 : cost == Question.COST_OF_RULE ? costs[key] : cost;
      }

      /** Units that it would have been granted stay charged, or are in hand. */
      private void left() {
        for (int key = 0; key < keys; key++) {
          mostLost += costOf(key);
        }
      }
    }

    /** Answers whatever comes, and lets all lives end. */
    void settle() {
      rig.publish(rule(Mode.LEASED));
      for (int quiet = 0; quiet < 40; quiet++) {
        while (server.pendingCount() > 0) {
          server.answer();
          quiet = 0;
        }
        store.pass(DEADLINE_NS / 4);
      }
      assertEquals(List.of(), waiting, "nobody waits for ever");
      store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
      while (server.pendingCount() > 0) {
        server.answer();
        store.pass(1);
      }
      check();
    }

    @Override
    public void close() {
      rig.close();
    }
  }

  @ParameterizedTest
  @CsvSource({"1, false", "1, true", "2, false", "2, true", "3, false", "3, true"})
  void whatPassedWasChargedWhateverHappens(int keys, boolean isLossy) {
    int passed = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      try (Run run = new Run(seed, keys, isLossy)) {
        int at = seed;
        try {
          for (int step = 0; step < STEPS; step++) {
            run.step();
          }
          run.settle();
        } catch (AssertionError fault) {
          throw new AssertionError("seed " + at, fault);
        }
        if (!isLossy) {
          long most = run.mostLost;
          Map<String, Long> charges = run.server.charges();
          charges.forEach(
              (name, units) -> {
                long used = run.passed.getOrDefault(name, 0L);
                assertTrue(
                    units <= used + most,
                    () -> "seed " + at + ": " + name + " " + used + " of " + charges);
              });
        }
        passed += run.passedCount;
      }
    }
    assertTrue(passed > 100L * SEEDS, "passed " + passed);
  }
}
