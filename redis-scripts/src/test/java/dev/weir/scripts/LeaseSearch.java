package dev.weir.scripts;

import dev.weir.scripts.LeaseStore.Lease;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Searches for a moment at which more is used than a limit allows: short random traces of leases of
 * a few holders, of uses and of refunds at the worst moments, on limits that are small in units and
 * in time.
 */
final class LeaseSearch {
  /** A rule that the holders of leases break. */
  enum Breach {
    LIFE_FROM_THE_REPLY,
    GIVES_BACK_TWICE,
    MARK_AFTER_THE_KEPT_PART
  }

  /** Requests that were granted and not used yet. */
  private static final class Held {
    private final Lease lease;
    private final long lifeUs;
    private final List<Long> marks;
    private final long endUs;
    private long requests;

    Held(Lease lease, long requests, long lifeUs, List<Long> marks, long endUs) {
      this.lease = lease;
      this.requests = requests;
      this.lifeUs = lifeUs;
      this.marks = marks;
      this.endUs = endUs;
    }
  }

  private static final int STEPS = 18;
  private static final long START_US = 1_700_000_000_000_000L;

  private final Function<List<LimitSpec>, LeaseStore> stores;
  private final Set<Breach> breaches;

  /** Steps of a trace that was found already; else null. */
  private StringBuilder text;

  private long kept;
  private long used;
  private long refunds;

  LeaseSearch(Function<List<LimitSpec>, LeaseStore> stores, Breach... breaches) {
    this.stores = stores;
    this.breaches = EnumSet.noneOf(Breach.class);
    Collections.addAll(this.breaches, breaches);
  }

  /**
   * Requests that were kept in all traces so far: a search of traces without leases finds nothing.
   */
  long kept() {
    return kept;
  }

  /** Kept requests that were used. */
  long used() {
    return used;
  }

  long refunds() {
    return refunds;
  }

  /** A trace that is over its limit, as text; null if there is none among so many. */
  String search(LimitSpec.Kind kind, long seed, int traces) throws IOException {
    final SplittableRandom random = new SplittableRandom(seed);
    for (int trace = 0; trace < traces; trace++) {
      final List<LimitSpec> specs = new ArrayList<>();
      specs.add(LimitSpec.draw(kind, random));
      if (random.nextInt(4) == 0) {
        final LimitSpec.Kind[] kinds = LimitSpec.Kind.values();
        specs.add(LimitSpec.draw(kinds[random.nextInt(kinds.length)], random));
      }
      final long traceSeed = random.nextLong();
      if (trace(specs, new SplittableRandom(traceSeed)) > 0) {
        text = new StringBuilder();
        final long over = trace(specs, new SplittableRandom(traceSeed));
        return "trace " + trace + " of " + seed + ", " + over + " over: " + specs + text;
      }
    }
    return null;
  }

  /** Units over the limit. */
  private long trace(List<LimitSpec> specs, SplittableRandom random) throws IOException {
    final LeaseStore store = stores.apply(specs);
    final List<UseJudge> judges = specs.stream().map(UseJudge::new).toList();
    final long[] costs = specs.stream().mapToLong(any -> 1 + random.nextInt(4) / 3).toArray();
    tell(" costs ", Arrays.toString(costs));
    final List<Held> held = new ArrayList<>();
    long nowUs = START_US + random.nextInt(200);
    for (int step = 0; step < STEPS; step++) {
      nowUs = later(specs, held, nowUs, random);
      final int choice = random.nextInt(12);
      if (choice > 9) {
        burst(store, judges, costs, held, specs, nowUs);
      } else if (choice < 4 || held.isEmpty()) {
        ask(store, judges, costs, held, specs, nowUs, random);
      } else if (choice < 7) {
        final Held from = pick(held, random);
        use(from, random.nextBoolean() ? from.requests : 1, judges, costs, nowUs);
      } else {
        giveBack(store, pick(held, random), costs, nowUs, random);
      }
      held.removeIf(any -> any.requests == 0);
    }
    burst(store, judges, costs, held, specs, nowUs);
    return judges.stream().mapToLong(UseJudge::over).max().orElseThrow();
  }

  private void tell(Object... parts) {
    for (int i = 0; text != null && i < parts.length; i++) {
      text.append(parts[i]);
    }
  }

  private static Held pick(List<Held> held, SplittableRandom random) {
    return held.get(random.nextInt(held.size()));
  }

  /** A next moment: the same, a little later, an edge of a window, or the end of a life. */
  private static long later(
      List<LimitSpec> specs, List<Held> held, long nowUs, SplittableRandom random) {
    final LimitSpec spec = specs.get(random.nextInt(specs.size()));
    final long atUs =
        switch (random.nextInt(8)) {
          case 0, 1 -> nowUs;
          case 2 -> spec.edgeUs(nowUs) - random.nextInt(2);
          case 3, 4 ->
              held.isEmpty() ? nowUs + 1 : pick(held, random).endUs - 1 + random.nextInt(2);
          case 5 -> nowUs + random.nextLong(spec.windowUs());
          default -> nowUs + random.nextLong(1 + spec.windowUs() / 4);
        };
    return Math.max(atUs, nowUs);
  }

  private void ask(
      LeaseStore store,
      List<UseJudge> judges,
      long[] costs,
      List<Held> held,
      List<LimitSpec> specs,
      long nowUs,
      SplittableRandom random)
      throws IOException {
    final long most = specs.get(0).limit() + 1;
    final long requests = random.nextInt(3) == 0 ? random.nextLong(1 + most) : random.nextInt(3);
    final long keep = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(6);
    final long longestUs = Math.max(specs.get(0).lifeUs(), 1);
    final long lifeUs = random.nextBoolean() ? longestUs : 1 + random.nextLong(longestUs);
    final long onTheWayUs = random.nextInt(2) == 0 ? 0 : random.nextLong(8);
    final Lease lease = store.lease(requests, keep, lifeUs, costs, nowUs);
    tell("\n  ", nowUs - START_US, ": ", requests, " and ", keep, " for ", lifeUs, " -> ", lease);
    final long usedNow = lease.granted() == 0 ? 0 : random.nextLong(lease.granted() + 1);
    count(judges, costs, nowUs, usedNow);
    tell(", uses ", usedNow);
    if (lease.granted() > usedNow) {
      final boolean isLateMark = breaches.contains(Breach.MARK_AFTER_THE_KEPT_PART);
      final List<Long> marks = isLateMark ? lease.keptMarks() : lease.grantedMarks();
      held.add(new Held(lease, lease.granted() - usedNow, 0, marks, nowUs));
    }
    if (lease.kept() > 0) {
      final boolean isLate = breaches.contains(Breach.LIFE_FROM_THE_REPLY);
      final long fromUs = nowUs + (isLate ? onTheWayUs : -onTheWayUs);
      final long life = lease.lifeUs();
      held.add(new Held(lease, lease.kept(), life, lease.keptMarks(), fromUs + life));
      kept += lease.kept();
    }
  }

  /** All that is held and alive is used at one moment, and all that can be had besides. */
  private void burst(
      LeaseStore store,
      List<UseJudge> judges,
      long[] costs,
      List<Held> held,
      List<LimitSpec> specs,
      long nowUs)
      throws IOException {
    for (Held any : held) {
      use(any, any.requests, judges, costs, nowUs);
    }
    final Lease lease = store.lease(specs.get(0).limit(), 0, 1, costs, nowUs);
    tell("\n  ", nowUs - START_US, ": uses all of ", lease);
    count(judges, costs, nowUs, lease.granted());
  }

  private void use(Held from, long requests, List<UseJudge> judges, long[] costs, long nowUs) {
    if (nowUs >= from.endUs) {
      return;
    }
    tell("\n  ", nowUs - START_US, ": uses ", requests, " of ", from.lease.atUs() - START_US);
    from.requests -= requests;
    used += requests;
    count(judges, costs, nowUs, requests);
  }

  private static void count(List<UseJudge> judges, long[] costs, long nowUs, long requests) {
    for (int i = 0; i < costs.length && requests > 0; i++) {
      judges.get(i).used(nowUs, requests * costs[i]);
    }
  }

  private void giveBack(
      LeaseStore store, Held from, long[] costs, long nowUs, SplittableRandom random)
      throws IOException {
    final long requests = random.nextBoolean() ? from.requests : 1;
    tell("\n  ", nowUs - START_US, ": gives back ", requests, " of ");
    tell(from.lease.atUs() - START_US, " for ", from.lifeUs);
    final int times = breaches.contains(Breach.GIVES_BACK_TWICE) ? 2 : 1;
    for (int i = 0; i < times; i++) {
      store.giveBack(requests, from.lease.atUs(), from.lifeUs, costs, from.marks, nowUs);
    }
    from.requests -= requests;
    refunds++;
  }
}
