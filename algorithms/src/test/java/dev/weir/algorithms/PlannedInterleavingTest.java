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
 * decided by. The checker knows grants and numbers of plans, and no code of the limits. Rules of
 * {@link PlannedLimit} are broken on purpose, too, and the checker notices.
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

  private final long seed = Long.getLong("weir.seed", 1);

  /** A rule that is broken on purpose. */
  private enum Broken {
    /** Who decides looks at the user's word before he loads the budget's, and not again. */
    LOOKS_FIRST,
    /** Who changes a plan writes converted words as if nobody else did meanwhile. */
    CONVERTS_WITHOUT_CAS,
    /** Who changes a plan leaves words as they are. */
    CONVERTS_NOTHING,
    NOTHING
  }

  /** Units that passed; 0 once they were given back. */
  private static final class Grant {
    final long atNs;

    /** The time at its end: other threads' clocks may have run on, and converted by that time. */
    final long untilNs;

    final int plan;

    /** How many grants there were when this one was asked for: surely charged before it. */
    final int after;

    int units;

    Grant(long atNs, long untilNs, int units, int plan, int after) {
      this.atNs = atNs;
      this.untilNs = untilNs;
      this.units = units;
      this.plan = plan;
      this.after = after;
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

    long nowNs = START;

    Trace(SplittableRandom random, Broken broken) {
      this.broken = broken;
      isTimed = random.nextBoolean();
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

    void decide(int cost, boolean givesBack, PlannedLimit planned, Decision out) {
      do {
        final long word = word();
        final int after = grants.size();
        final long askedNs = nowNs;
        if (table.check(KEY, limit(planned, word), cost, askedNs, out)) {
          final Grant grant = new Grant(askedNs, nowNs, cost, UserWord.plan(word), after);
          grants.add(grant);
          if (givesBack) {
            grant.units = 0;
            table.refund(KEY, limit(planned, word), cost, askedNs, nowNs);
          }
        }
      } while (out.moved());
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
          if (SlotLayout.isLive(state)) {
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
      for (Grant from : grants) {
        for (Grant to : grants) {
          final long lastedNs = Math.max(to.untilNs - from.atNs, 0);
          if (from.atNs <= to.atNs
              && units(grants, from.atNs, to.atNs) > largest + lastedNs / fastestNs) {
            return "a window of " + lastedNs + " ns";
          }
          final long charged =
              units(grants.subList(0, to.after), from.atNs, Long.MAX_VALUE) + to.units;
          if (to.units > 0 && charged > bursts[to.plan] + lastedNs / fastestNs) {
            return "beyond the burst of plan " + to.plan;
          }
        }
      }
      return null;
    }

    private static long units(List<Grant> of, long fromNs, long toNs) {
      long units = 0;
      for (Grant grant : of) {
        units += grant.atNs >= fromNs && grant.atNs <= toNs ? grant.units : 0;
      }
      return units;
    }
  }

  private static Trace trace(long seed, Broken broken) {
    final SplittableRandom random = new SplittableRandom(seed);
    final Trace trace = new Trace(random, broken);
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
    return () -> {
      for (int step = 1 + random.nextInt(8); step > 0; step--) {
        trace.nowNs += trace.isTimed ? random.nextLong(trace.unitNs[1]) / 2 : 0;
        // By a clock that lags a refund may give back what came back in as much time.
        final boolean givesBack = !trace.isTimed && random.nextInt(6) == 0;
        trace.decide(1 + random.nextInt(2), givesBack, planned, out);
      }
    };
  }

  @Test
  void noWindowHoldsMoreThanTheLargestPlan() {
    int granted = 0;
    for (int i = 0; i < TRACES; i++) {
      final Trace trace = trace(seed + i, Broken.NOTHING);
      assertNull(trace.fault(), "weir.seed=" + (seed + i));
      granted += trace.grants.size();
    }
    assertTrue(granted > 2 * TRACES, granted + " granted");
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
      final Trace trace = new Trace(random, Broken.NOTHING);
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
