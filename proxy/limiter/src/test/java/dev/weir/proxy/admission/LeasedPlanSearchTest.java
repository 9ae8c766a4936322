package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.LeasedRig.DEADLINE_NS;
import static dev.weir.proxy.admission.LeasedRig.LIFE_NS;
import static dev.weir.proxy.admission.LeasedRig.MS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.lease.LeaseKeeper;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import dev.weir.proxy.store.ModelServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sidecars that lease units of a user whose plan changes, and learn of each change at times of
 * their own, in random traces. All together let pass no more than the largest plan has; what passed
 * was charged; nobody who knows a plan lets pass by what is in hand under another one; and in the
 * end all that was not used has gone back. {@code -Dweir.seeds=1000} searches longer.
 */
class LeasedPlanSearchTest {
  private static final int SEEDS = Integer.getInteger("weir.seeds", 40);
  private static final int STEPS = 500;
  private static final int HANDS = 8;
  private static final String USER = "u";

  /** Plans by name; the first is that of whom nobody has said one. */
  private static final String[] PLANS = {"free", "basic", "premium"};

  private static final UsersSpec USERS =
      new UsersSpec(
          KeySpec.parse("header:x-user"),
          List.of(PLANS),
          List.of(KeyPart.parse("header:x-plan")),
          "shop");

  /** A sidecar, and the plan that it knows. */
  private static final class Sidecar {
    final LeasedRig rig;
    int plan;

    Sidecar(LeasedRig rig) {
      this.rig = rig;
    }
  }

  /** The steps of one seed. */
  private static final class Run implements StoreObserver, AutoCloseable {
    private final SplittableRandom random;
    private final ModelServer server = new ModelServer(1);
    private final List<Sidecar> fleet = new ArrayList<>();
    private final Question question = new Question();
    private final long[] amounts = new long[PLANS.length];

    /** Until when units of each plan may be in hand: a life after it last had room. */
    private final long[] usableUntilNs = new long[PLANS.length];

    private int plan;
    private long nowNs = 1;
    private long passed;
    private long passedAtOnce;
    private long waiting;
    private int changes;

    /** Units that may stay charged, as nobody was there to take them back. */
    private long mostLost;

    Run(int seed, Algorithm algorithm) {
      random = new SplittableRandom(seed);
      // Plans that are further apart than this are refused.
      amounts[0] = 25 + random.nextInt(80);
      amounts[1] = 25 + random.nextInt(400);
      amounts[2] = 200 + random.nextInt(1_000);
      for (int i = 2 + random.nextInt(2); i > 0; i--) {
        fleet.add(new Sidecar(new LeasedRig(server, USERS, this, HANDS, rule(algorithm))));
      }
    }

    private RuleSpec rule(Algorithm algorithm) {
      Map<String, Amount> tiers = new LinkedHashMap<>();
      for (int i = 1; i < PLANS.length; i++) {
        tiers.put(PLANS[i], Amount.parse(amounts[i] + "/30d"));
      }
      return RuleSpec.builder("r")
          .algorithm(algorithm)
          .rate(Rate.parse(amounts[0] + "/30d"))
          .tiers(tiers)
          .key(KeySpec.parse("header:x-user"))
          .mode(Mode.LEASED)
          .onStoreFailure(OnStoreFailure.CLOSED)
          .build();
    }

    @Override
    public void storeRefunds(long requests, boolean sent) {
      mostLost += sent ? 0 : requests;
    }

    private long charged() {
      return server.charges().getOrDefault(USER, 0L);
    }

    void step() {
      switch (random.nextInt(40)) {
        case 0 -> {
          answer(Integer.MAX_VALUE); // a server that says nothing for so long loses its connection
          pass(random.nextLong(LIFE_NS));
        }
        case 1 -> pass(random.nextLong(2 * DEADLINE_NS));
        case 2, 3 -> {
          plan = random.nextInt(PLANS.length);
          changes++;
        }
        case 4, 5 -> any().plan = plan;
        case 6, 7, 8, 9, 10, 11, 12, 13, 14 -> answer(random.nextInt(4));
        case 15, 16, 17, 18 -> pass(random.nextLong(MS));
        default -> ask(any());
      }
      assertEquals(List.of(), server.faults());
      assertTrue(passed <= charged(), () -> passed + " passed, " + charged() + " charged");
    }

    private Sidecar any() {
      return fleet.get(random.nextInt(fleet.size()));
    }

    private void pass(long ns) {
      noteRoom();
      nowNs += ns;
      fleet.forEach(sidecar -> sidecar.rig.store.pass(ns));
      noteRoom();
    }

    private void answer(int count) {
      for (int i = 0; i < count && server.pendingCount() > 0; i++) {
        noteRoom();
        server.answer();
      }
    }

    private void noteRoom() {
      for (int i = 0; i < amounts.length; i++) {
        if (charged() < amounts[i]) {
          usableUntilNs[i] = nowNs + LIFE_NS + DEADLINE_NS;
        }
      }
    }

    private void ask(Sidecar sidecar) {
      final int known = sidecar.plan;
      question.start(Operation.CHECK, Purpose.DECISION).rule("r");
      identity("header:x-user", USER);
      identity("header:x-plan", PLANS[known]);
      VerdictListener client =
          (ticket, verdict) -> {
            waiting--;
            take(known, verdict);
          };
      Asked asked = sidecar.rig.admission.ask(question, client, nowNs);
      if (asked.verdict() == null) {
        waiting++;
      } else {
        passedAtOnce += asked.verdict().allowed() ? 1 : 0;
        take(known, asked.verdict());
      }
    }

    private void identity(String name, String value) {
      byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
      question.identity(name, new UnsafeBuffer(bytes), 0, bytes.length);
    }

    private void take(int known, Verdict verdict) {
      if (!verdict.allowed()) {
        return;
      }
      passed++;
      noteRoom();
      assertTrue(
          nowNs <= usableUntilNs[known],
          () -> PLANS[known] + " had no room for a life: " + charged() + " charged");
      assertTrue(passed <= amounts[largest()], () -> passed + " passed");
    }

    private int largest() {
      int largest = 0;
      for (int i = 1; i < amounts.length; i++) {
        largest = amounts[i] > amounts[largest] ? i : largest;
      }
      return largest;
    }

    /** Answers whatever comes, and lets all lives end. */
    void settle() {
      for (int quiet = 0; quiet < 40; quiet++) {
        if (server.pendingCount() > 0) {
          answer(Integer.MAX_VALUE);
          quiet = 0;
        }
        pass(DEADLINE_NS / 4);
      }
      assertEquals(0, waiting, "nobody waits for ever");
      pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
      while (server.pendingCount() > 0) {
        answer(1);
        pass(1);
      }
      assertTrue(
          charged() <= passed + mostLost,
          () -> passed + " passed, " + mostLost + " lost, " + charged() + " charged");
    }

    @Override
    public void close() {
      fleet.forEach(sidecar -> sidecar.rig.close());
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FIXED_WINDOW", "GCRA"})
  void noMorePassesThanTheLargestPlanAllows(Algorithm algorithm) {
    long passed = 0;
    long inHand = 0;
    int changes = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
      try (Run run = new Run(seed, algorithm)) {
        try {
          for (int step = 0; step < STEPS; step++) {
            run.step();
          }
          run.settle();
        } catch (AssertionError fault) {
          throw new AssertionError("seed " + seed, fault);
        }
        passed += run.passed;
        changes += run.changes;
        inHand += run.passedAtOnce;
      }
    }
    String told = passed + " passed, " + inHand + " by units in hand, " + changes + " changes";
    assertTrue(passed > 50L * SEEDS && inHand > passed / 10 && changes > 10 * SEEDS, told);
  }
}
