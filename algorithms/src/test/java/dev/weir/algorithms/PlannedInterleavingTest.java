package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Thousands of interleavings of threads that use a budget under load, and of one that changes the
 * user's plan meanwhile. Whatever the order, no window of length t holds more than the larger burst
 * and the larger rate times t, and nobody is let pass beyond the burst of the plan that he was
 * decided by. In half of them units are held until an end that charges a cost ({@link HeldBudget});
 * then that holds whichever moment between its verdict and its end each request is counted at. The
 * checker knows grants and numbers of plans, and no code of the limits. Rules of {@link
 * PlannedLimit} and {@link HeldBudget} are broken on purpose, too, and the checker notices.
 *
 * <p>{@code -Dweir.traces=100000} searches longer; a failure prints its seed, and {@code
 * -Dweir.seed=} replays it.
 */
class PlannedInterleavingTest {
  private static final int TRACES = Integer.getInteger("weir.traces", 8_000);

  /** Traces in which a broken rule is noticed at the latest; a fixed seed makes them the same. */
  private static final int BROKEN_TRACES = 40_000;

  private static final long SECOND = 1_000_000_000L;
  private static final long START = 1_000 * SECOND;
  private static final long USER = 5;
  private static final long KEY = 16;
  private static final long HELD = 32;
  private static final long NOT_YET = Long.MAX_VALUE;

  private final long seed = Long.getLong("weir.seed", 1);

  /** A rule that is broken on purpose. */
  private enum Broken {
    /** Who decides looks at the user's word before he loads the budget's, and not again. */
    LOOKS_FIRST,
    /** Who changes a plan writes converted words as if nobody else did meanwhile. */
    CONVERTS_WITHOUT_CAS,
    /** Who changes a plan leaves words as they are. */
    CONVERTS_NOTHING,
    /** Who asks looks at what is held, and adds his units if they fit. */
    ADDS_BEHIND_THE_LOOK,
    /** Who ends releases his units before he charges what they cost. */
    RELEASES_FIRST,
    /** A debt ends at twice the capacity, whatever was held under a larger plan. */
    OWES_WHAT_WAS_HELD_IN_PART,
    NOTHING;

    boolean isOfHolds() {
      return ordinal() >= ADDS_BEHIND_THE_LOOK.ordinal() && this != NOTHING;
    }
  }

  /** A request that passed. */
  private static final class Grant {
    final long atNs;

    /** The time at its end: other threads' clocks may have run on, and converted by that time. */
    final long untilNs;

    final int plan;

    /** The step in which it was asked for, and that in which it was known to have passed. */
    final int askedAt;

    final int knownAt;

    /** Units that it took; 0 once they were given back. */
    final int taken;

    /** The cost of the request: less than it took if it held that. */
    int cost;

    /** When it ended, and the step in which that began. */
    long endNs;

    long endsAt;

    Grant(long atNs, long untilNs, int taken, int plan, int askedAt, int knownAt) {
      this.atNs = atNs;
      this.untilNs = untilNs;
      this.plan = plan;
      this.askedAt = askedAt;
      this.knownAt = knownAt;
      this.taken = taken;
      cost = taken;
      endNs = atNs;
    }

    void holds() {
      endNs = NOT_YET;
      endsAt = NOT_YET;
    }

    /** Units that another one finds taken which was asked for when this one had passed. */
    int unitsFor(Grant other) {
      return endsAt > other.knownAt ? taken : cost;
    }
  }

  /** One trace: a user with two or three plans, and a budget. One thread runs at a time. */
  private static final class Trace {
    final Broken broken;
    final Interleaver.Memory states = new Interleaver.Memory(8 * SlotLayout.SLOT_BYTES);
    final Interleaver.Memory words = new Interleaver.Memory(4 * UserTable.SLOT_BYTES);
    final LimitTable table = states.table();
    final UserTable users = new UserTable(words);

    /** Slots that nobody uses. */
    final Slots elsewhere =
        new Slots(
            new Interleaver.Memory(8 * SlotLayout.SLOT_BYTES),
            new Interleaver.Memory(0),
            new Interleaver.Memory(0),
            new Counters(new Interleaver.Memory(Counters.COUNTERS_BYTES)));

    final int slot = users.meet(USER);

    /** Nanoseconds of a unit, burst and limit of each plan; the first is of no plan. */
    final long[] unitNs;

    final int[] bursts;
    final Limit[] limits;
    final List<Grant> grants = new ArrayList<>();

    /** Whether time passes: where it does not, the least that is lost shows. */
    final boolean isTimed;

    /** Whether requests hold what they take until they end. */
    final boolean holds;

    long nowNs = START;
    int steps;

    /** The sum of the lags of costs behind the clock when they were charged. */
    long lagNs;

    Trace(SplittableRandom random, boolean holds, Broken broken) {
      this.broken = broken;
      isTimed = random.nextBoolean();
      this.holds = holds;
      final int plans = 2 + random.nextInt(2);
      unitNs = new long[plans + 1];
      bursts = new int[plans + 1];
      limits = new Limit[plans + 1];
      for (int plan = 1; plan <= plans; plan++) {
        unitNs[plan] = (1 + random.nextInt(4)) * 7_654_321L * (random.nextBoolean() ? 1 : 10);
        bursts[plan] = 1 + random.nextInt(6);
        limits[plan] = Limit.gcra(1, unitNs[plan], bursts[plan]);
      }
      assertTrue(users.set(slot, USER, word(), 1, UserWord.RECORD, true));
    }

    long word() {
      return users.word(slot, USER);
    }

    Limit limit(PlannedLimit planned, long word) {
      final UserTable looked = broken == Broken.LOOKS_FIRST ? copy() : users;
      final Limit now = limits[UserWord.plan(word)];
      final Limit before = limits[UserWord.planBefore(word)];
      return planned.under(now, before, looked, slot, USER, word);
    }

    /** A table in which the user's word stays as it is. */
    private UserTable copy() {
      final Interleaver.Memory copied = new Interleaver.Memory(words.capacity());
      copied.putBytes(0, words, 0, words.capacity());
      return new UserTable(copied);
    }

    /** Asks for units; null if they were refused. */
    Grant decide(int units, boolean givesBack, PlannedLimit planned, Decision out) {
      Grant grant = null;
      do {
        final long word = word();
        final int askedAt = steps++;
        final long askedNs = nowNs;
        final Limit limit = limit(planned, word);
        if (holds ? hold(limit, units, out) : table.check(KEY, limit, units, askedNs, out)) {
          grant = new Grant(askedNs, nowNs, units, UserWord.plan(word), askedAt, steps++);
          grants.add(grant);
          if (holds) {
            grant.holds();
          } else if (givesBack) {
            grant.cost = 0;
            table.refund(KEY, limit(planned, word), units, askedNs, nowNs);
          }
        }
      } while (out.moved());
      return grant;
    }

    private boolean hold(Limit limit, int units, Decision out) {
      if (broken == Broken.ADDS_BEHIND_THE_LOOK) {
        final long askedNs = nowNs;
        return HeldBudget.peek(table, KEY, limit, table, HELD, units, askedNs, out)
            && table.check(HELD, Limit.heldUnits(100), units, askedNs, out);
      }
      return HeldBudget.hold(table, KEY, limit, table, HELD, units, nowNs, out);
    }

    void end(Grant grant, int cost, PlannedLimit planned, Decision out) {
      grant.cost = cost;
      grant.endNs = nowNs;
      grant.endsAt = steps++;
      if (broken == Broken.RELEASES_FIRST) {
        table.release(HELD, grant.taken, grant.endNs);
      }
      while (!settle(grant, limit(planned, word()), out)) {
        assertTrue(out.moved());
      }
      lagNs += nowNs - grant.endNs;
    }

    private boolean settle(Grant grant, Limit limit, Decision out) {
      final boolean hasReleased = broken == Broken.RELEASES_FIRST;
      if (!hasReleased && broken != Broken.OWES_WHAT_WAS_HELD_IN_PART) {
        return HeldBudget.settle(
            table, KEY, limit, grant.cost, table, HELD, grant.taken, grant.endNs, out);
      }
      if (grant.cost > 0) {
        final int held = hasReleased ? grant.taken : 0;
        table.chargeUsed(KEY, limit, grant.cost, held, grant.endNs, out);
        if (out.moved()) {
          return false;
        }
      }
      if (!hasReleased) {
        table.release(HELD, grant.taken, grant.endNs);
      }
      return true;
    }

    void change(int plan, boolean atOnce, PlannedLimit planned) {
      long word = word();
      while (!convert(planned, word) || !users.set(slot, USER, word, plan, UserWord.RECORD, true)) {
        word = word();
      }
      if (atOnce) {
        convert(planned, word());
      }
    }

    private boolean convert(PlannedLimit planned, long word) {
      nowNs += 10; // two conversions by one reading of the clock may lead to the same word
      if (broken == Broken.CONVERTS_WITHOUT_CAS) {
        for (int at = 0; at < states.capacity(); at += SlotLayout.SLOT_BYTES) {
          final long state = states.getLongAcquire(at + SlotLayout.STATE_OFFSET);
          if (SlotLayout.isLive(state) && StateWord.isTime(state)) {
            limit(planned, word);
            final long converted = planned.converted(state, elsewhere, 0, nowNs);
            states.getLongAcquire(at); // others go on
            states.putLong(at + SlotLayout.STATE_OFFSET, converted);
          }
        }
        return true;
      }
      return broken == Broken.CONVERTS_NOTHING || table.convert(KEY, limit(planned, word), nowNs);
    }

    void run(long seed, Runnable... tasks) {
      final Interleaver interleaver = new Interleaver(seed, tasks);
      states.interleaver(interleaver);
      words.interleaver(interleaver);
      interleaver.run();
      states.interleaver(null);
      words.interleaver(null);
    }

    /** What is wrong about the grants; null if nothing is. */
    String fault() {
      long fastestNs = Long.MAX_VALUE;
      int largest = 0;
      for (int plan = 1; plan < limits.length; plan++) {
        fastestNs = Math.min(fastestNs, unitNs[plan]);
        largest = Math.max(largest, bursts[plan]);
      }
      for (Grant to : grants) {
        if (over(to, to.atNs, largest, fastestNs)) {
          return "at one moment";
        }
        for (Grant from : grants) {
          final long lastedNs = Math.max(to.untilNs - from.endNs, 0) + lagNs;
          if (from.endNs <= to.atNs && over(to, from.endNs, largest, fastestNs)) {
            return "a window of " + lastedNs + " ns";
          }
          if (from.endNs != NOT_YET && to.cost > 0) {
            long found = to.taken;
            for (Grant before : grants) {
              final boolean counts = before.knownAt < to.askedAt && before.endNs >= from.endNs;
              found += counts ? before.unitsFor(to) : 0;
            }
            if (found > bursts[to.plan] + lastedNs / fastestNs) {
              return "beyond the burst of plan " + to.plan;
            }
          }
        }
      }
      return null;
    }

    /** Each request is counted at whichever moment between its verdict and its end hurts most. */
    private boolean over(Grant to, long fromNs, int largest, long fastestNs) {
      long units = 0;
      for (Grant grant : grants) {
        units += grant.atNs <= to.atNs && grant.endNs >= fromNs ? grant.cost : 0;
      }
      return units > largest + (Math.max(to.untilNs - fromNs, 0) + lagNs) / fastestNs;
    }
  }

  private static Trace trace(long seed, Broken broken) {
    final SplittableRandom random = new SplittableRandom(seed);
    final Trace trace = new Trace(random, seed % 2 == 0 || broken.isOfHolds(), broken);
    final Runnable[] tasks = new Runnable[2 + random.nextInt(3)];
    tasks[0] = changer(trace, random.split());
    for (int i = 1; i < tasks.length; i++) {
      tasks[i] = decider(trace, random.split());
    }
    trace.run(seed, tasks);
    return trace;
  }

  private static Runnable changer(Trace trace, SplittableRandom random) {
    final PlannedLimit planned = new PlannedLimit();
    return () -> {
      for (int change = 1 + random.nextInt(6); change > 0; change--) {
        trace.nowNs += trace.isTimed ? random.nextLong(trace.unitNs[1]) / 2 : 0;
        trace.change(1 + random.nextInt(trace.limits.length - 1), random.nextBoolean(), planned);
      }
    };
  }

  private static Runnable decider(Trace trace, SplittableRandom random) {
    final PlannedLimit planned = new PlannedLimit();
    final Decision out = new Decision();
    final List<Grant> running = new ArrayList<>();
    return () -> {
      for (int step = 1 + random.nextInt(8); step > 0; step--) {
        trace.nowNs += trace.isTimed ? random.nextLong(trace.unitNs[1]) / 2 : 0;
        if (!running.isEmpty() && random.nextBoolean()) {
          final Grant any = running.remove(random.nextInt(running.size()));
          trace.end(any, random.nextInt(any.taken + 1), planned, out);
          continue;
        }
        // By a clock that lags a refund may give back what came back in as much time.
        final boolean givesBack = !trace.isTimed && random.nextInt(6) == 0;
        final int units = 1 + random.nextInt(trace.holds ? 4 : 2);
        final Grant grant = trace.decide(units, givesBack, planned, out);
        if (grant != null && trace.holds) {
          running.add(grant);
        }
      }
    };
  }

  @Test
  void noWindowHoldsMoreThanTheLargestPlan() {
    int granted = 0;
    int ended = 0;
    for (int i = 0; i < TRACES; i++) {
      final Trace trace = trace(seed + i, Broken.NOTHING);
      assertNull(trace.fault(), "weir.seed=" + (seed + i));
      granted += trace.grants.size();
      ended += trace.grants.stream().mapToInt(grant -> grant.endsAt == NOT_YET ? 0 : 1).sum();
    }
    assertTrue(granted > 2 * TRACES && ended > TRACES, granted + " granted, " + ended + " ended");
  }

  /** Two plans of one pace and other bursts: there and back, a word would be the same again. */
  @Test
  void aWordThatWasConvertedThereAndBackAtOnePaceIsAnother() {
    assertNull(trace(92_134_755_133_333L, Broken.NOTHING).fault());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NOTHING")
  void aBrokenRuleIsNoticed(Broken broken) {
    String fault = null;
    int traces = 0;
    while (fault == null && traces < BROKEN_TRACES) {
      fault = trace(traces++, broken).fault();
    }
    assertNotNull(fault, broken + " in " + traces + " traces");
  }

  /** One thread: what passes is what exact numbers say, each unit at its plan's pace. */
  @Test
  void oneThreadIsDecidedByExactNumbers() {
    for (int round = 0; round < 400; round++) {
      final String where = "weir.seed=" + seed + ", round " + round;
      final SplittableRandom random = new SplittableRandom(seed + round);
      final Trace trace = new Trace(random, false, Broken.NOTHING);
      final PlannedLimit planned = new PlannedLimit();
      final Decision out = new Decision();
      double used = 0;
      int plan = 1;
      for (int step = 0; step < 100; step++) {
        final long elapsedNs = random.nextInt(3) == 0 ? random.nextLong(trace.unitNs[plan]) : 0;
        trace.nowNs += elapsedNs;
        used = Math.max(0, used - (double) elapsedNs / trace.unitNs[plan]);
        if (random.nextInt(5) == 0) {
          plan = 1 + random.nextInt(trace.limits.length - 1);
          trace.change(plan, true, planned);
        }
        final int cost = 1 + random.nextInt(3);
        trace.decide(cost, false, planned, out);
        final double after = used + cost - trace.bursts[plan];
        // Each change may have rounded up by a nanosecond.
        assertTrue(out.allowed() ? after < 1e-5 : after > -1e-5, where);
        used += out.allowed() ? cost : 0;
      }
    }
  }
}
