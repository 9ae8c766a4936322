package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random steps against {@link ModelBudget}: more than a million for each way to state a limit. A
 * failure prints its seed; {@code -Dweir.seed=} replays it.
 */
class LimitModelTest {
  private enum Kind {
    GCRA,
    TOKEN_BUCKET
  }

  private static final int ROUNDS = 2_200;
  private static final int STEPS_PER_ROUND = 500;
  private static final int KEYS = 6;
  private static final long SECOND = 1_000_000_000L;
  private static final long[] WINDOWS = {SECOND, 60 * SECOND, 3600 * SECOND, 86_400 * SECOND};

  private final Decision out = new Decision();
  private final Decision later = new Decision();
  private final Limit[] limits = new Limit[KEYS];
  private final ModelBudget[] models = new ModelBudget[KEYS];
  private final long[] keys = new long[KEYS];
  private SplittableRandom random;
  private LimitTable table;
  private String where;

  /** What the last call of {@link #draw} drew. */
  private long units;

  private long windowNs;
  private long burst;
  private long scale;
  private Limit drawn;

  @ParameterizedTest
  @EnumSource(Kind.class)
  void everyDecisionEqualsTheDefinition(Kind kind) {
    final long seed = Long.getLong("weir.seed", System.nanoTime());
    random = new SplittableRandom(seed);
    for (int round = 0; round < ROUNDS; round++) {
      where = "weir.seed=" + seed + ", " + kind + ", round " + round;
      try (LimitTable fresh = new LimitTable(1024)) {
        table = fresh;
        round(kind);
        assertEquals(0, table.overflowCount() + table.contendedCount(), where);
      }
    }
  }

  private void round(Kind kind) {
    for (int i = 0; i < KEYS; i++) {
      draw(kind);
      limits[i] = drawn;
      models[i] = new ModelBudget(units, windowNs, burst, scale);
      // Two to a home slot.
      keys[i] = (random.nextLong() << 10) | ((i % 3) << 8);
    }
    long latestNs = 1 + random.nextLong(1L << random.nextInt(4, 59));
    for (int step = 0; step < STEPS_PER_ROUND; step++) {
      latestNs = Math.min(latestNs + advance(), Limit.MAX_TIME_NS - 1);
      final long backNs = random.nextInt(8) == 0 ? random.nextLong(SECOND) : 0;
      step(kind, random.nextInt(KEYS), Math.max(latestNs - backNs, 1));
    }
  }

  private long advance() {
    final Limit limit = limits[random.nextInt(KEYS)];
    return switch (random.nextInt(6)) {
      case 0, 1 -> 0;
      case 2 -> random.nextLong(10);
      case 3 -> random.nextLong(((PacedLimit) limit).charge(0, 1, 1) + 1);
      case 4 ->
          random.nextLong(((PacedLimit) limit).charge(0, 1, Math.min(limit.capacity(), 3)) + 1);
      default ->
          random.nextInt(40) == 0
              ? random.nextLong(((PacedLimit) limit).charge(0, 1, limit.capacity()))
              : 1;
    };
  }

  private void step(Kind kind, int i, long nowNs) {
    final ModelBudget model = models[i];
    switch (random.nextInt(32)) {
      case 0 -> {
        table.reset(keys[i], nowNs);
        model.reset();
      }
      case 1 -> {
        draw(kind);
        table.changeLimit(keys[i], limits[i], drawn, nowNs);
        limits[i] = drawn;
        model.changeLimit(units, windowNs, burst, scale, nowNs);
      }
      case 2 -> {
        final int to = (i + 1) % KEYS;
        table.carryOver(keys[i], limits[i], keys[to], limits[to], nowNs, out);
        models[to].carryOver(model, nowNs);
      }
      case 3, 4, 5, 6, 7, 8 -> {
        final long wanted = cost(limits[i]);
        final long available = model.available(nowNs);
        final long granted = table.grantUpTo(keys[i], limits[i], wanted, nowNs, out);
        assertEquals(Math.min(wanted, available), granted, where);
        if (granted > 0) {
          model.charge(granted, nowNs);
        }
        examine(i, granted > 0 ? wanted : 1, nowNs);
      }
      case 9, 10, 11, 12 -> {
        final long cost = cost(limits[i]);
        assertEquals(
            model.passes(cost, nowNs), table.peek(keys[i], limits[i], cost, nowNs, out), where);
        assertEquals(model.available(nowNs), out.remaining(), where);
      }
      default -> {
        final long cost = cost(limits[i]);
        final boolean passes = model.passes(cost, nowNs);
        assertEquals(passes, table.check(keys[i], limits[i], cost, nowNs, out), where);
        assertEquals(passes ? cost : 0, out.granted(), where);
        if (passes) {
          model.charge(cost, nowNs);
        }
        examine(i, cost, nowNs);
      }
    }
  }

  private void examine(int i, long cost, long nowNs) {
    assertEquals(limits[i].capacity(), out.limit(), where);
    assertEquals(models[i].available(nowNs), out.remaining(), where);
    assertEquals(models[i].resetAtNs(nowNs), out.resetAtNs(), where);
    if (out.allowed()) {
      assertEquals(0, out.retryAfterNs(), where);
    } else if (cost > limits[i].capacity()) {
      assertEquals(Decision.NEVER, out.retryAfterNs(), where);
    } else {
      final long passesAtNs = nowNs + out.retryAfterNs();
      if (passesAtNs <= Limit.MAX_TIME_NS) {
        assertEquals(true, table.peek(keys[i], limits[i], cost, passesAtNs, later), where);
        assertEquals(true, models[i].passes(cost, passesAtNs), where);
        assertEquals(false, table.peek(keys[i], limits[i], cost, passesAtNs - 1, later), where);
        assertEquals(false, models[i].passes(cost, passesAtNs - 1), where);
      }
    }
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

  private void draw(Kind kind) {
    windowNs =
        random.nextBoolean()
            ? WINDOWS[random.nextInt(WINDOWS.length)]
            : 1 + random.nextLong(1L << random.nextInt(1, 50));
    scale = kind == Kind.GCRA ? 1 : Math.min(1 + random.nextLong(1000), windowNs);
    final long perWindow =
        1 + random.nextLong(Math.min(windowNs / scale, 1L << random.nextInt(1, 24)));
    final BigInteger most =
        BigInteger.valueOf(Limit.MAX_TIME_NS - 1)
            .multiply(BigInteger.valueOf(perWindow))
            .divide(BigInteger.valueOf(windowNs))
            .min(BigInteger.valueOf(Limit.MAX_TIME_NS / scale));
    final long size =
        1 + random.nextLong(Math.min(most.longValueExact(), 1L << random.nextInt(1, 40)));
    units = perWindow * scale;
    burst = size * scale;
    drawn =
        kind == Kind.GCRA
            ? Limit.gcra(perWindow, windowNs, size)
            : Limit.tokenBucket(size, perWindow, windowNs, scale);
  }
}
