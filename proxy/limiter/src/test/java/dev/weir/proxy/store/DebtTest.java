package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A debt beside a list of all requests that have passed. */
class DebtTest {
  private static final long SECOND_US = 1_000_000;
  private static final long SECOND = 1_000_000_000;
  private static final long MS = 1_000_000;
  private static final int ROUNDS = 2_000;

  private final long seed = Long.getLong("weir.seed", 1);
  private final SplittableRandom random = new SplittableRandom(seed);

  private record Passed(long requests, long atNs) {}

  private static Debt debt(ScriptLimit limit, long cost) {
    StoreKeys keys = new StoreKeys(1);
    keys.buffer().putByte(0, (byte) 1);
    keys.addHashed(1, 1, 0);
    Debt debt = limit.isPaced() ? new PacedDebt() : new WindowDebt();
    debt.begin(keys, 0, limit, cost);
    return debt;
  }

  private static List<Passed> take(Debt debt, long nowNs) {
    List<Passed> parts = new ArrayList<>();
    for (long requests = debt.requests(nowNs); requests > 0; requests = debt.requests(nowNs)) {
      parts.add(new Passed(requests, debt.passedNs(requests)));
      debt.removeOldest();
    }
    return parts;
  }

  private static long sum(List<Passed> of, long fromNs, long toNs) {
    return of.stream()
        .filter(each -> each.atNs >= fromNs && each.atNs <= toNs)
        .mapToLong(Passed::requests)
        .sum();
  }

  @Test
  void aMetersDrainsAsTheMeterWould() {
    Debt debt = debt(ScriptLimit.paced(100, 1_000, SECOND_US), 1);
    debt.add(250, SECOND, SECOND);
    assertEquals(100, debt.requests(SECOND), "a full budget at most");
    assertEquals(SECOND, debt.passedNs(100));
    // 60 ms are owed: 60 requests; half a millisecond later one of them has drained in part.
    long laterNs = SECOND + 40 * MS + MS / 2;
    assertEquals(60, debt.requests(laterNs));
    assertEquals(laterNs - MS / 2, debt.passedNs(60));
    debt.add(10, laterNs, laterNs);
    assertEquals(70, debt.requests(laterNs));
    assertEquals(1, debt.requests(SECOND + 110 * MS - 1));
    assertEquals(0, debt.requests(SECOND + 110 * MS));
  }

  /** A leaky bucket, in quadrillionths of a unit, so that nothing of it needs to be rounded. */
  @Test
  void aMetersOwesWhatALeakyBucketHolds() {
    for (int round = 0; round < ROUNDS; round++) {
      long units = 1 + random.nextInt(50);
      long periodUs = 1 + random.nextInt(1_000_000);
      long capacity = 1 + random.nextInt(100);
      long cost = 1 + random.nextInt(3);
      Debt debt = debt(ScriptLimit.paced(capacity, units, periodUs), cost);
      double levelNs = 0;
      double requestNs = 1e3 * periodUs / units * Math.min(cost, capacity);
      long most = Math.max(1, capacity / cost);
      long nowNs = SECOND;
      for (int step = 1; step < 40; step++) {
        long passedNs = nowNs;
        long lateNs = random.nextInt(8) == 0 ? random.nextLong((long) requestNs + 1) : 0;
        long requests = 1 + random.nextInt(4);
        double added = Math.max(0, Math.min(requests, most) * requestNs - lateNs);
        levelNs = Math.min(levelNs + added, most * requestNs);
        debt.add(requests, passedNs - lateNs, nowNs);
        long elapsedNs = random.nextLong((long) (3 * requestNs) + 1);
        nowNs += elapsedNs;
        levelNs = Math.max(0, levelNs - elapsedNs);
        long owed = debt.requests(nowNs);
        String where = "weir.seed=" + seed + ", round " + round + ", step " + step;
        double owedNs = owed == 0 ? 0 : owed * requestNs - (nowNs - debt.passedNs(owed));
        assertEquals(levelNs, owedNs, 2.0 * step + 2, where);
        assertTrue(owed <= most && (owed == 0 || debt.passedNs(owed) <= nowNs), where);
      }
    }
  }

  @Test
  void aWindowsIsOwedForAsLongAsAChargeCounts() {
    Debt debt = debt(ScriptLimit.fixedWindow(10, 8 * SECOND_US, 0), 1);
    debt.add(3, SECOND, SECOND);
    debt.add(4, SECOND + SECOND - 1, SECOND + SECOND - 1);
    debt.add(2, 2 * SECOND, 2 * SECOND);
    debt.add(50, 3 * SECOND, 3 * SECOND);
    assertEquals(7, debt.requests(9 * SECOND - 1));
    assertEquals(SECOND, debt.passedNs(7));
    assertEquals(2, debt.requests(9 * SECOND));
    assertEquals(2 * SECOND, debt.passedNs(2));
    assertEquals(10, debt.requests(10 * SECOND), "a full budget at most");
    assertEquals(0, debt.requests(11 * SECOND));
  }

  @Test
  void aWindowsIsNeverMoreThanWhatPassedSinceAndForgetsASliceAtMost() {
    ScriptLimit[] limits = {
      ScriptLimit.fixedWindow(1_000_000, SECOND_US, 7),
      ScriptLimit.slidingCounter(1_000_000, SECOND_US / 2),
      ScriptLimit.slidingLog(4_096, SECOND_US),
      ScriptLimit.bucketRing(1_000_000, SECOND_US, 10)
    };
    for (int round = 0; round < ROUNDS; round++) {
      Debt debt = debt(limits[round % limits.length], 1);
      List<Passed> all = new ArrayList<>();
      long nowNs = SECOND;
      long latestNs = 0;
      boolean isLate = random.nextBoolean();
      for (int step = random.nextInt(200); step > 0; step--) {
        nowNs += random.nextLong(SECOND / 50);
        long lateNs = isLate && random.nextInt(8) == 0 ? random.nextLong(SECOND / 20) : 0;
        Passed passed = new Passed(1 + random.nextInt(5), nowNs - lateNs);
        latestNs = Math.max(latestNs, lateNs);
        debt.add(passed.requests, passed.atNs, nowNs);
        all.add(passed);
      }
      nowNs += random.nextLong(SECOND);
      List<Passed> parts = take(debt, nowNs);
      String where = "weir.seed=" + seed + ", round " + round + ": " + parts;
      assertTrue(parts.size() <= 8, where);
      long before = nowNs - SECOND;
      for (Passed part : parts) {
        assertTrue(part.atNs > before, where);
        before = part.atNs;
        // From any moment on no more is owed than what has passed from then on.
        assertTrue(sum(parts, part.atNs, nowNs) <= sum(all, part.atNs, nowNs), where);
      }
      if (!isLate) {
        assertTrue(sum(parts, 0, nowNs) >= sum(all, nowNs - SECOND + SECOND / 8, nowNs), where);
      }
    }
  }
}
