package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Who gives way when a table is full, and who does not. */
class EvictionTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long HOUR = 3_600 * SECOND;
  private static final long NOW = 1_000 * HOUR + HOUR / 8;
  private static final Limit FIVE = Limit.gcra(5, HOUR, 5);

  private final LimitTable tiny = new LimitTable(4);
  private final Decision out = new Decision();

  static Limit[] fivePerHour() {
    return new Limit[] {
      FIVE,
      Limit.tokenBucket(5, 5, HOUR),
      Limit.leakyBucketQueue(5, 5, HOUR, HOUR),
      Limit.fixedWindow(5, HOUR, 0),
      Limit.slidingCounter(5, HOUR),
    };
  }

  @AfterEach
  void close() {
    tiny.close();
  }

  /** A table of 1,000 keys, and twice as many invented ones, a second apart for each 1,400. */
  @ParameterizedTest
  @MethodSource("fivePerHour")
  void aFloodLocksNoNewcomerOutAndFreesNobodyWhoIsExhausted(Limit limit) {
    final SplittableRandom random = new SplittableRandom(5);
    try (LimitTable table = new LimitTable(2_048)) {
      final long[] exhausted = random.longs(100).toArray();
      for (long key : exhausted) {
        assertEquals(
            5,
            Grants.upTo(table, key, limit, 2, NOW, out)
                + Grants.upTo(table, key, limit, 3, NOW, out));
      }
      for (int invented = 0; invented < 10 * 2_048; invented++) {
        final long nowNs = NOW + invented * (SECOND / 1_400);
        assertTrue(table.check(random.nextLong(), limit, 1, nowNs, out), "newcomer " + invented);
        final long key = exhausted[invented % exhausted.length];
        assertFalse(table.check(key, limit, 1, nowNs, out), "exhausted, after " + invented);
        if (invented % 256 == 0) {
          final long user = random.nextLong();
          for (int request = 0; request < 5; request++) {
            assertTrue(table.check(user, limit, 1, nowNs, out), "user, request " + request);
          }
          assertFalse(table.check(user, limit, 1, nowNs, out));
        }
      }
      assertEquals(0, table.overflowCount() + table.contendedCount());
      assertTrue(table.evictedCount() > 16_000, table.evictedCount() + " gave way");
    }
  }

  @ParameterizedTest
  @MethodSource("fivePerHour")
  void whoOwesMoreThanOneRequestNeverGivesWay(Limit limit) {
    for (long key = 0; key < 4; key++) {
      assertTrue(tiny.check(key, limit, 1, NOW, out));
      assertTrue(tiny.check(key, limit, 1, NOW, out));
    }
    for (long key = 100; key < 200; key++) {
      tiny.check(key, limit, 1, NOW, out);
      assertTrue(out.shared());
    }
    assertEquals(0, tiny.evictedCount());
    for (long key = 0; key < 4; key++) {
      tiny.peek(key, limit, 1, NOW, out);
      assertEquals(2, out.current());
    }
  }

  @Test
  void theOneThatIsWholeFirstGivesWay() {
    for (long key = 0; key < 4; key++) {
      assertTrue(tiny.check(key, FIVE, 1, NOW + (key ^ 2), out));
    }
    assertTrue(tiny.check(100, FIVE, 1, NOW + 10, out));
    assertFalse(out.shared());
    assertEquals(1, tiny.evictedCount());
    assertEquals(0, tiny.reclaimedCount());
    for (long key = 0; key < 4; key++) {
      tiny.peek(key, FIVE, 1, NOW + 10, out);
      assertEquals(key == 2 ? 0 : 1, out.current(), "key " + key);
    }
  }

  @Test
  void aDebtThatHasDrainedToOneRequestGivesWay() {
    for (long key = 0; key < 4; key++) {
      assertTrue(tiny.check(key, FIVE, 1, NOW, out));
      assertTrue(tiny.check(key, FIVE, 1, NOW, out));
    }
    assertFalse(tiny.check(100, FIVE, 5, NOW + 1, out) && !out.shared());
    tiny.check(101, FIVE, 1, NOW + HOUR / 5 - SECOND, out);
    assertEquals(0, tiny.evictedCount());
    final long drainedNs = NOW + HOUR / 5;
    assertTrue(tiny.check(101, Limit.gcra(6, HOUR, 6), 1, drainedNs, out));
  }

  @Test
  void anExpensiveRequestUnderOneLimitFreesNobodyUnderAnother() {
    final Limit cheap = Limit.fixedWindow(5, HOUR, 0);
    final Limit expensive = Limit.gcra(1_000, HOUR, 1_000);
    for (long key = 0; key < 4; key++) {
      for (int request = 0; request < 5; request++) {
        assertTrue(tiny.check(key, key < 2 ? cheap : FIVE, 1, NOW, out));
      }
    }
    tiny.check(100, expensive, 500, NOW, out);
    assertTrue(out.shared());
    assertEquals(0, tiny.evictedCount());
  }

  @Test
  void anExpensiveRequestDoesNotGiveWayToACheapOne() {
    final Limit hundred = Limit.gcra(100, HOUR, 100);
    for (long key = 0; key < 4; key++) {
      assertTrue(tiny.check(key, hundred, 40, NOW, out));
    }
    tiny.check(100, hundred, 39, NOW, out);
    assertTrue(out.shared());
    tiny.check(100, FIVE, 1, NOW, out);
    assertTrue(out.shared());
    assertEquals(0, tiny.evictedCount());
    tiny.check(101, Limit.gcra(200, HOUR, 200), 40, NOW, out);
    assertEquals(1, tiny.evictedCount());
  }

  @Test
  void whatWasCarriedOverDoesNotGiveWay() {
    final Limit ten = Limit.gcra(10, HOUR, 10);
    for (long key = 0; key < 4; key++) {
      assertTrue(tiny.check(key, FIVE, 1, NOW, out));
    }
    assertTrue(tiny.carryOver(0, FIVE, tiny, 4, ten, true, NOW, out));
    assertEquals(1, tiny.evictedCount(), "for what was carried");
    for (long key = 100; key < 110; key++) {
      assertTrue(tiny.check(key, ten, 1, NOW, out));
    }
    tiny.peek(4, ten, 1, NOW, out);
    assertEquals(1, out.current());
  }

  @Test
  void aChangedLimitDoesNotGiveWay() {
    final Limit fixed = Limit.fixedWindow(5, HOUR, 0);
    for (long key = 0; key < 4; key++) {
      assertTrue(tiny.check(key, FIVE, 1, NOW, out));
      assertTrue(tiny.changeLimit(key, FIVE, fixed, NOW));
    }
    tiny.check(100, fixed, 1, NOW, out);
    assertTrue(out.shared());
  }

  /** A charge that met the wrong key would spoil its ring; see {@link Slots}. */
  @Test
  void nobodyGivesWayInATableWithRings() {
    try (LimitTable rings = new LimitTable(4, 8)) {
      for (long key = 0; key < 4; key++) {
        assertTrue(rings.check(key, Limit.slidingLog(5, HOUR), 1, NOW, out));
      }
      rings.check(100, FIVE, 1, NOW, out);
      assertTrue(out.shared());
      assertEquals(0, rings.evictedCount());
    }
  }

  /** Random checks of more keys than fit: no more is regained than was let pass to evict. */
  @ParameterizedTest
  @MethodSource("fivePerHour")
  void everyEvictionForgetsOneRequest(Limit limit) {
    final SplittableRandom random = new SplittableRandom(17);
    try (LimitTable table = new LimitTable(16)) {
      final long[] owed = new long[64];
      for (int step = 0; step < 3_000; step++) {
        final int key = random.nextInt(owed.length);
        final long evicted = table.evictedCount();
        if (table.check(key, limit, 1, NOW, out) && !out.shared()) {
          owed[key]++;
        }
        final long forgets = table.evictedCount() - evicted;
        assertTrue(forgets == 0 || out.allowed() && forgets == 1);
        long forgotten = 0;
        for (int i = 0; i < owed.length; i++) {
          table.peek(i, limit, 1, NOW, out);
          if (!out.shared() && out.current() < owed[i]) {
            assertEquals(1, owed[i], "key " + i + " was forgotten");
            owed[i] = 0;
            forgotten++;
          }
        }
        assertEquals(forgets, forgotten, "step " + step);
      }
      assertTrue(table.evictedCount() > 40, table.evictedCount() + " gave way");
    }
  }
}
