package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.ModelKind.Drawn;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random steps against the models, other ones in each build. A failure prints its seed; {@code
 * -Dweir.seed=} replays it.
 */
class LimitModelTest {
  /** More with {@code -Dweir.rounds=5500}: a million steps for each way to state a limit. */
  private static final int ROUNDS = Integer.getInteger("weir.rounds", 1_500);

  private static final int SET_ROUNDS = 1_000;
  private static final int STEPS_PER_ROUND = 200;
  private static final int KEYS = 6;
  private static final int SLOTS = 128;
  private static final long SECOND = 1_000_000_000L;

  private final long seed = Long.getLong("weir.seed", 1);
  private final Decision out = new Decision();
  private final Decision later = new Decision();
  private final LimitSet set = new LimitSet();
  private final Drawn[] drawn = new Drawn[KEYS];
  private final Model[] models = new Model[KEYS];
  private final long[] keys = new long[KEYS];

  /** The last charge, and its time. */
  private final long[] charged = new long[KEYS];

  private final long[] chargedAtNs = new long[KEYS];

  private SplittableRandom random;
  private UnsafeBuffer slots;
  private UnsafeBuffer cells;
  private LimitTable table;
  private String where;
  private long latestNs;

  /** Keys of this round. */
  private int keyCount;

  /**
   * Whether no key may take another's slot, which it may when the other's budget has been whole for
   * a second: then clocks step back by any time, and nothing may come back.
   */
  private boolean apart;

  /** Whether logs are given anything back in this round. */
  private boolean refundsLogs;

  /**
   * From then on no clock steps back: what a log has given back may stand where a unit was that had
   * left, and reads as present to a clock that lags.
   */
  private boolean logRefunded;

  @ParameterizedTest
  @EnumSource(ModelKind.class)
  void everyDecisionEqualsTheDefinition(ModelKind kind) {
    random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      where = "weir.seed=" + seed + ", " + kind + ", round " + round;
      startTable();
      apart = random.nextBoolean();
      refundsLogs = random.nextBoolean();
      keyCount = apart ? 2 : KEYS;
      for (int i = 0; i < keyCount; i++) {
        put(i, kind.draw(random));
        charged[i] = 0;
      }
      latestNs = startNs();
      for (int step = 0; step < STEPS_PER_ROUND; step++) {
        final int i = random.nextInt(keyCount);
        latestNs = advance(latestNs, models[i]);
        step(kind, i, logRefunded ? latestNs : maybeBackNs(latestNs));
      }
      assertEquals(0, table.overflowCount() + table.contendedCount(), where);
    }
    report(kind.name(), ROUNDS);
  }

  /** Several limits of any kinds for one identity: all are charged, or none. */
  @Test
  void aSetIsChargedWholeOrNotAtAll() {
    random = new SplittableRandom(seed);
    for (int round = 0; round < SET_ROUNDS; round++) {
      where = "weir.seed=" + seed + ", set, round " + round;
      startTable();
      apart = false;
      final int size = 2 + random.nextInt(3);
      drawSet(size);
      latestNs = startNs();
      for (int step = 0; step < STEPS_PER_ROUND; step++) {
        latestNs = advance(latestNs, models[random.nextInt(size)]);
        checkAll(size, maybeBackNs(latestNs));
      }
      assertEquals(0, table.overflowCount() + table.contendedCount(), where);
    }
    report("LimitSet", SET_ROUNDS);
  }

  /** For the test report. */
  private void report(String what, int rounds) {
    System.out.printf("%-18s %,d steps, weir.seed=%d%n", what, rounds * STEPS_PER_ROUND, seed);
  }

  private void startTable() {
    logRefunded = false;
    slots = new UnsafeBuffer(new byte[SLOTS * SlotLayout.SLOT_BYTES]);
    cells = new UnsafeBuffer(new byte[SLOTS * ModelKind.MAX_CELLS * Long.BYTES]);
    table =
        new LimitTable(
            TableMemory.of(
                slots,
                cells,
                new UnsafeBuffer(new byte[4 * SlotLayout.SLOT_BYTES]),
                new UnsafeBuffer(new byte[4 * ModelKind.MAX_CELLS * Long.BYTES])));
  }

  private void put(int i, Drawn what) {
    drawn[i] = what;
    models[i] = what.model();
    // Two to a home slot; or two keys, none of whose 32 slots are the same.
    keys[i] = (random.nextLong() << 7) | ((i % 3) << 5);
  }

  private long startNs() {
    return 1 + random.nextLong(1L << random.nextInt(4, 57));
  }

  private long maybeBackNs(long latestNs) {
    if (random.nextInt(8) != 0) {
      return latestNs;
    }
    final long mostNs = apart ? 1L << random.nextInt(10, 58) : SECOND;
    return Math.max(latestNs - random.nextLong(mostNs), 1);
  }

  /** Nothing, a little, to where something happens or a nanosecond beside it, or far. */
  private long advance(long nowNs, Model model) {
    final long edgeNs = Math.max(model.edgeNs(nowNs), nowNs);
    final long nextNs =
        switch (random.nextInt(8)) {
          case 0, 1, 2 -> nowNs;
          case 3 -> nowNs + random.nextLong(10);
          case 4 -> nowNs + random.nextLong(edgeNs - nowNs + 1);
          case 5 -> Math.max(edgeNs - 1 + random.nextInt(3), nowNs);
          case 6 -> nowNs + random.nextLong(model.resetAtNs(nowNs) - nowNs + 1);
          default ->
              random.nextInt(20) == 0 ? model.resetAtNs(nowNs) + random.nextInt(2) : nowNs + 1;
        };
    return Math.min(nextNs, Limit.MAX_TIME_NS - 1);
  }

  private long cost(Limit limit) {
    return switch (random.nextInt(8)) {
      case 0 -> limit.capacity();
      case 1 -> limit.capacity() + 1;
      case 2, 3 -> 1 + random.nextLong(limit.capacity());
      case 4 -> 1 + random.nextLong(1L << random.nextInt(62));
      default -> 1 + random.nextLong(Math.min(limit.capacity(), 3));
    };
  }

  private void step(ModelKind kind, int i, long nowNs) {
    switch (random.nextInt(64)) {
      case 0 -> {
        table.reset(keys[i], nowNs);
        models[i].reset();
      }
      case 1, 2 -> changeLimit(i, kind.drawBeside(drawn[i], random), nowNs);
      case 3 -> {
        final ModelKind[] kinds = ModelKind.values();
        changeLimit(i, kinds[random.nextInt(kinds.length)].draw(random), nowNs);
      }
      case 4 -> {
        final int to = (i + 1) % keyCount;
        table.carryOver(
            keys[i], drawn[i].limit(), table, keys[to], drawn[to].limit(), true, nowNs, out);
        models[i].carryOver(models[to], nowNs);
      }
      case 5, 6, 7 -> refund(i, nowNs);
      case 8, 9, 10, 11, 12, 13, 14, 15 -> grant(i, nowNs);
      case 16, 17, 18, 19 -> peek(i, cost(drawn[i].limit()), nowNs);
      default -> check(i, cost(drawn[i].limit()), nowNs);
    }
  }

  private void changeLimit(int i, Drawn to, long nowNs) {
    table.changeLimit(keys[i], drawn[i].limit(), to.limit(), nowNs);
    models[i] = models[i].changedTo(to.model(), nowNs);
    drawn[i] = new Drawn(to.limit(), models[i]);
    charged[i] = 0;
    peek(i, 1, nowNs);
  }

  private void refund(int i, long nowNs) {
    final boolean log = drawn[i].limit() instanceof SlidingLogLimit;
    if (charged[i] > 0 && !(log && (nowNs < latestNs || !refundsLogs))) {
      logRefunded |= log;
      final long units = random.nextInt(4) == 0 ? 1 + random.nextLong(charged[i]) : charged[i];
      table.refund(keys[i], drawn[i].limit(), units, chargedAtNs[i], nowNs);
      models[i].refund(units, chargedAtNs[i], nowNs);
      charged[i] = 0;
      peek(i, 1, nowNs);
    }
  }

  private void grant(int i, long nowNs) {
    final Model model = models[i];
    final long wanted = cost(drawn[i].limit());
    final long granted = Math.min(wanted, model.available(nowNs));
    final long waitNs = model.waitNs(nowNs);
    assertEquals(granted, Grants.upTo(table, keys[i], drawn[i].limit(), wanted, nowNs, out), where);
    charge(i, granted, waitNs, nowNs);
    examine(i, Math.max(granted, 1), nowNs);
  }

  private void check(int i, long cost, long nowNs) {
    final Model model = models[i];
    final boolean passes = model.passes(cost, nowNs);
    final long waitNs = model.waitNs(nowNs);
    final boolean compares = !passes && random.nextInt(16) == 0;
    final byte[] slotsBefore = compares ? slots.byteArray().clone() : null;
    final byte[] cellsBefore = compares ? cells.byteArray().clone() : null;
    assertEquals(passes, table.check(keys[i], drawn[i].limit(), cost, nowNs, out), where);
    assertEquals(passes ? cost : 0, out.granted(), where);
    if (compares) {
      // Not byte by byte: that took longer than all other steps.
      assertTrue(Arrays.equals(slotsBefore, slots.byteArray()), where);
      assertTrue(Arrays.equals(cellsBefore, cells.byteArray()), where);
    }
    charge(i, passes ? cost : 0, waitNs, nowNs);
    examine(i, cost, nowNs);
  }

  private void charge(int i, long units, long waitNs, long nowNs) {
    if (units > 0) {
      models[i].charge(units, nowNs);
      charged[i] = units;
      chargedAtNs[i] = nowNs;
      assertEquals(waitNs, out.waitNs(), where);
    } else {
      assertEquals(0, out.waitNs(), where);
    }
  }

  private void peek(int i, long cost, long nowNs) {
    final boolean passes = models[i].passes(cost, nowNs);
    assertEquals(passes, table.peek(keys[i], drawn[i].limit(), cost, nowNs, out), where);
    assertEquals(passes ? models[i].waitNs(nowNs) : 0, out.waitNs(), where);
    examine(i, cost, nowNs);
  }

  private void examine(int i, long cost, long nowNs) {
    final Limit limit = drawn[i].limit();
    final Model model = models[i];
    assertEquals(limit.capacity(), out.limit(), where);
    assertEquals(cost, out.cost(), where);
    assertEquals(model.available(nowNs), out.remaining(), where);
    assertEquals(model.current(nowNs), out.current(), where);
    assertEquals(model.resetAtNs(nowNs), out.resetAtNs(), where);
    if (out.allowed()) {
      assertEquals(0, out.retryAfterNs(), where);
    } else if (cost > limit.capacity()) {
      assertEquals(Decision.NEVER, out.retryAfterNs(), where);
    } else {
      final long passesAtNs = nowNs + out.retryAfterNs();
      assertTrue(model.passes(cost, passesAtNs), where);
      assertFalse(model.passes(cost, passesAtNs - 1), where);
      if (passesAtNs <= Limit.MAX_TIME_NS) {
        assertTrue(table.peek(keys[i], limit, cost, passesAtNs, later), where);
        assertFalse(table.peek(keys[i], limit, cost, passesAtNs - 1, later), where);
      }
    }
  }

  private void drawSet(int size) {
    final ModelKind[] kinds = ModelKind.values();
    for (int i = 0; i < size; i++) {
      drawn[i] = kinds[random.nextInt(kinds.length)].draw(random);
      keys[i] = random.nextLong();
      models[i] = drawn[i].model();
    }
  }

  private void checkAll(int size, long nowNs) {
    final long[] costs = new long[size];
    boolean passes = true;
    long waitNs = 0;
    set.clear();
    for (int i = 0; i < size; i++) {
      costs[i] = cost(drawn[i].limit());
      passes &= models[i].passes(costs[i], nowNs);
      waitNs = Math.max(waitNs, models[i].waitNs(nowNs));
      set.add(table, keys[i], drawn[i].limit(), costs[i]);
    }
    assertEquals(passes, set.peek(nowNs, out), where);
    assertEquals(passes ? waitNs : 0, out.waitNs(), where);
    assertEquals(passes, set.check(nowNs, out), where);
    assertEquals(passes ? waitNs : 0, out.waitNs(), where);
    for (int i = 0; i < size; i++) {
      if (passes) {
        models[i].charge(costs[i], nowNs);
      }
      table.peek(keys[i], drawn[i].limit(), 1, nowNs, later);
      assertEquals(models[i].current(nowNs), later.current(), where);
    }
    if (!passes && out.retryAfterNs() <= Limit.MAX_TIME_NS - nowNs) {
      final long passesAtNs = nowNs + out.retryAfterNs();
      assertTrue(allPass(costs, passesAtNs), where);
      assertFalse(allPass(costs, passesAtNs - 1), where);
    }
  }

  private boolean allPass(long[] costs, long atNs) {
    boolean all = true;
    for (int i = 0; i < costs.length; i++) {
      all &= models[i].passes(costs[i], atNs);
    }
    return all;
  }
}
