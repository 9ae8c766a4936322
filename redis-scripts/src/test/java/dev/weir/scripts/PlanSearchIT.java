package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.LeaseStore.Lease;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Searches for a window in which a user whose plan changes uses more than the larger plan allows:
 * random traces of a few sidecars, which learn of each change at times of their own, on the shipped
 * script. A sidecar that learns of a change drops what it has leased under the plan before. {@code
 * -Dweir.plan.traces=20000} for a longer search.
 */
class PlanSearchIT extends ScriptServer {
  private static final int TRACES = Integer.getInteger("weir.plan.traces", 200);
  private static final int STEPS = 20;
  private static final int SIDECARS = 3;
  private static final int PLANS = 3;
  private static final long START_US = 1_700_000_000_000_000L;

  private int name;
  private int changes;
  private long used;

  /** Requests that a sidecar has in hand. */
  private static final class Hand {
    private final long endUs;
    private long requests;

    Hand(long endUs, long requests) {
      this.endUs = endUs;
      this.requests = requests;
    }
  }

  /** A sidecar, with the plan that it knows. */
  private static final class Sidecar {
    private final List<Hand> hands = new ArrayList<>();
    private int plan;
  }

  private byte[] bytesAt(long nowUs, CheckCall call, String... keys) throws IOException {
    return client.eval(TIMED, Long.toString(nowUs), call, keys);
  }

  @ParameterizedTest
  @EnumSource
  void noWindowHasMoreThanTheLargestPlanAllows(LimitSpec.Kind kind) throws IOException {
    final SplittableRandom random = new SplittableRandom(17);
    for (int trace = 0; trace < TRACES; trace++) {
      final LimitSpec spec = LimitSpec.draw(kind, random);
      final List<LimitSpec> plans = new ArrayList<>(List.of(spec));
      while (plans.size() < PLANS) {
        final long limit = 1 + random.nextLong(2 * spec.limit());
        plans.add(new LimitSpec(kind, limit, spec.windowUs(), spec.subWindows(), spec.lifeUs()));
      }
      final long over = trace(plans, random.split());
      assertEquals(0, over, "trace " + trace + " of " + plans);
    }
    assertTrue(changes > TRACES && used > TRACES, changes + " changes, " + used + " used");
  }

  /** Units that are used beyond the largest plan. */
  private long trace(List<LimitSpec> plans, SplittableRandom random) throws IOException {
    final String key = "plans" + name++;
    final List<ScriptLeases> under =
        plans.stream().map(plan -> new ScriptLeases(this::bytesAt, key, List.of(plan))).toList();
    final long most = plans.stream().mapToLong(LimitSpec::limit).max().orElseThrow();
    final LimitSpec of = plans.get(0);
    final UseJudge judge =
        new UseJudge(new LimitSpec(of.kind(), most, of.windowUs(), of.subWindows(), of.lifeUs()));
    final List<Sidecar> fleet = new ArrayList<>();
    for (int i = 0; i < SIDECARS; i++) {
      fleet.add(new Sidecar());
    }
    final boolean leases = random.nextBoolean();
    int plan = 0;
    long nowUs = START_US + random.nextInt(200);
    for (int step = 0; step < STEPS; step++) {
      nowUs = later(of, nowUs, random);
      final Sidecar sidecar = fleet.get(random.nextInt(SIDECARS));
      switch (random.nextInt(8)) {
        case 0 -> {
          plan = random.nextInt(PLANS);
          changes++;
        }
        case 1, 2 -> {
          if (sidecar.plan != plan) {
            sidecar.plan = plan;
            sidecar.hands.clear();
          }
        }
        case 3 -> useAll(sidecar, judge, nowUs);
        default -> {
          final long requests = random.nextLong(2 + plans.get(sidecar.plan).limit());
          final long keep = leases ? random.nextInt(6) : 0;
          ask(under.get(sidecar.plan), sidecar, requests, keep, of.lifeUs(), judge, nowUs);
        }
      }
    }
    for (Sidecar sidecar : fleet) {
      useAll(sidecar, judge, nowUs);
      ask(under.get(sidecar.plan), sidecar, most, 0, 1, judge, nowUs);
    }
    return judge.over();
  }

  private void ask(
      ScriptLeases store,
      Sidecar sidecar,
      long requests,
      long keep,
      long lifeUs,
      UseJudge judge,
      long nowUs)
      throws IOException {
    final long life = Math.max(lifeUs, 1);
    final Lease lease = store.lease(requests, keep, life, new long[] {1}, nowUs);
    count(judge, nowUs, lease.granted());
    if (lease.kept() > 0) {
      sidecar.hands.add(new Hand(nowUs + lease.lifeUs(), lease.kept()));
    }
  }

  private void useAll(Sidecar sidecar, UseJudge judge, long nowUs) {
    for (Hand hand : sidecar.hands) {
      if (nowUs < hand.endUs) {
        count(judge, nowUs, hand.requests);
        hand.requests = 0;
      }
    }
    sidecar.hands.removeIf(hand -> hand.requests == 0);
  }

  private void count(UseJudge judge, long nowUs, long requests) {
    if (requests > 0) {
      judge.used(nowUs, requests);
      used += requests;
    }
  }

  /** A next moment: the same, an edge of a window, or a little later. */
  private static long later(LimitSpec spec, long nowUs, SplittableRandom random) {
    final long atUs =
        switch (random.nextInt(6)) {
          case 0, 1 -> nowUs;
          case 2 -> spec.edgeUs(nowUs) - random.nextInt(2);
          case 3 -> nowUs + random.nextLong(spec.windowUs());
          default -> nowUs + random.nextLong(1 + spec.windowUs() / 4);
        };
    return Math.max(atUs, nowUs);
  }
}
