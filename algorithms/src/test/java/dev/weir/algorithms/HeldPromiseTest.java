package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.JudgedKind.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The promise of {@link HeldBudget}, for random exchanges that overlap: no window holds more than
 * the limit, whichever moment between its verdict and its end each is counted at. And what the
 * table answers is what the definitions of the algorithms answer. A failure prints its seed; {@code
 * -Dweir.seed=} replays it.
 */
class HeldPromiseTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int ROUNDS = 150;
  private static final int STEPS = 60;

  private final long seed = Long.getLong("weir.seed", 1);
  private final SplittableRandom random = new SplittableRandom(seed);
  private final Decision out = new Decision();

  /**
   * @param units that are held of it.
   */
  private record Running(long fromNs, long units) {}

  /** An exchange that has ended, and what it cost. */
  private record Ended(long fromNs, long toNs, long cost) {}

  @ParameterizedTest
  @EnumSource
  void noWindowHoldsMoreWhicheverMomentIsCounted(JudgedKind kind) {
    long nowNs = 1;
    int granted = 0;
    int refused = 0;
    try (LimitTable table = new LimitTable(64, JudgedKind.CELLS)) {
      for (int round = 0; round < ROUNDS; round++) {
        final String where = "weir.seed=" + seed + ", round " + round;
        final JudgedKind.Judged judged = kind.draw(random);
        final Limit limit = judged.limit();
        final List<Running> running = new ArrayList<>();
        final List<Ended> ended = new ArrayList<>();
        table.reset(1, nowNs);
        nowNs += 10 * SECOND + random.nextLong(SECOND);
        for (int step = 0; step < STEPS || !running.isEmpty(); step++) {
          nowNs += random.nextInt(3) == 0 ? 0 : random.nextLong(judged.spanNs() / 4 + 1);
          if (step < STEPS && random.nextInt(5) < 3) {
            final long units = 1 + random.nextLong(1 + limit.capacity() / 2);
            if (HeldBudget.hold(table, 1, limit, table, 2, units, nowNs, out)) {
              running.add(new Running(nowNs, units));
              granted++;
            } else {
              refused++;
            }
          } else if (!running.isEmpty()) {
            final Running any = running.remove(random.nextInt(running.size()));
            final long cost = random.nextLong(any.units + 1);
            HeldBudget.settle(table, 1, limit, cost, table, 2, any.units, nowNs, out);
            if (cost > 0) {
              assertEquals(cost, out.granted(), where);
              ended.add(new Ended(any.fromNs, nowNs, cost));
            }
          }
        }
        for (int counting = 0; counting < 4; counting++) {
          judge(judged, ended, counting, where);
        }
      }
    }
    assertTrue(granted > ROUNDS && refused > ROUNDS, granted + " granted, " + refused + " refused");
  }

  /** Counts all exchanges at their verdicts, all at their ends, or each at any moment between. */
  private void judge(JudgedKind.Judged judged, List<Ended> ended, int counting, String where) {
    final List<Grant> grants = new ArrayList<>();
    for (Ended one : ended) {
      final long lastedNs = one.toNs - one.fromNs;
      final long after =
          counting == 0 ? 0 : counting == 1 ? lastedNs : random.nextLong(lastedNs + 1);
      grants.add(new Grant(one.fromNs + after, one.cost));
    }
    for (Grant from : grants) {
      for (Grant to : grants) {
        if (from.atNs() <= to.atNs()) {
          assertTrue(judged.definition().holds(grants, from.atNs(), to.atNs()), where);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(ModelKind.class)
  void everyAnswerEqualsTheDefinition(ModelKind kind) {
    for (int round = 0; round < 4 * ROUNDS; round++) {
      final String where = "weir.seed=" + seed + ", round " + round;
      try (LimitTable table = new LimitTable(64, ModelKind.MAX_CELLS)) {
        final ModelKind.Drawn drawn = kind.draw(random);
        if (drawn.limit().capacity() > HeldBudget.MAX_CAPACITY) {
          continue;
        }
        final List<Running> running = new ArrayList<>();
        long nowNs = 1 + random.nextLong(1L << random.nextInt(4, 57));
        long held = 0;
        for (int step = 0; step < STEPS; step++) {
          nowNs = advance(nowNs, drawn.model());
          if (running.isEmpty() || random.nextBoolean()) {
            final long units = units(drawn.limit().capacity());
            held += ask(table, drawn, held, units, nowNs, where) ? units : 0;
            if (out.allowed()) {
              running.add(new Running(nowNs, units));
            }
          } else {
            final Running any = running.remove(random.nextInt(running.size()));
            held -= any.units;
            end(table, drawn, any.units, nowNs, where);
          }
        }
      }
    }
  }

  private boolean ask(
      LimitTable table, ModelKind.Drawn drawn, long held, long units, long nowNs, String where) {
    final Limit limit = drawn.limit();
    final long current = drawn.model().current(nowNs);
    final boolean fits = units <= limit.capacity() - current - held;
    // A queue has a second bound, and is never held.
    final boolean passes = fits && drawn.model().passes(units, nowNs);
    assertEquals(passes, HeldBudget.peek(table, 1, limit, table, 2, units, nowNs, out), where);
    assertEquals(held, out.held(), where);
    assertEquals(passes, HeldBudget.hold(table, 1, limit, table, 2, units, nowNs, out), where);
    assertEquals(passes ? held + units : held, out.held(), where);
    assertEquals(Math.max(drawn.model().available(nowNs) - out.held(), 0), out.remaining(), where);
    assertEquals(passes ? 0 : units > limit.capacity() ? Decision.NEVER : -1, retry(passes), where);
    return passes;
  }

  private long retry(boolean passes) {
    return passes || out.retryAfterNs() == Decision.NEVER ? out.retryAfterNs() : -1;
  }

  private void end(LimitTable table, ModelKind.Drawn drawn, long units, long nowNs, String where) {
    final Model model = drawn.model();
    final long cost = random.nextInt(4) == 0 ? units(3 * units) : random.nextLong(units + 1);
    final long available = model.capacity - model.current(nowNs);
    HeldBudget.settle(table, 1, drawn.limit(), cost, table, 2, units, nowNs, out);
    if (cost > 0) {
      assertEquals(cost, out.cost(), where);
      assertTrue(out.granted() == cost || out.granted() >= available && cost > available, where);
      if (out.granted() > 0) {
        model.charge(out.granted(), nowNs);
      }
      assertEquals(model.current(nowNs), out.current(), where);
      assertEquals(model.resetAtNs(nowNs), out.resetAtNs(), where);
    }
  }

  private long units(long most) {
    return switch (random.nextInt(8)) {
      case 0 -> most;
      case 1 -> most + 1;
      case 2 -> 1 + random.nextLong(Math.min(most, 3));
      default -> 1 + random.nextLong(1 + most / 2);
    };
  }

  private long advance(long nowNs, Model model) {
    final long nextNs =
        switch (random.nextInt(6)) {
          case 0, 1, 2 -> nowNs;
          case 3 -> Math.max(model.edgeNs(nowNs) - 1 + random.nextInt(3), nowNs);
          case 4 -> nowNs + random.nextLong(model.resetAtNs(nowNs) - nowNs + 1);
          default -> nowNs + random.nextLong(1_000);
        };
    return Math.min(nextNs, Limit.MAX_TIME_NS - 1);
  }
}
