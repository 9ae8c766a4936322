package dev.weir.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MovingSharesTest {
  private static int[] counts(MovingShares shares, int sidecars) {
    final int[] counts = new int[sidecars];
    for (int i = 0; i < 60_000; i++) {
      counts[shares.next()]++;
    }
    return counts;
  }

  @Test
  void theKthBusiestHasAShareOfOneByK() {
    // 1 + 1/2 + 1/3 are eleven sixths.
    final int[] counts = counts(new MovingShares(3), 3);
    assertEquals(60_000 * 6 / 11, counts[0], 500);
    assertEquals(60_000 * 3 / 11, counts[1], 500);
    assertEquals(60_000 * 2 / 11, counts[2], 500);
  }

  @Test
  void inTimeEachOfThemIsTheBusiestAndAllAreAsked() {
    final MovingShares shares = new MovingShares(4);
    final Set<Integer> busiest = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      shares.move();
      busiest.add(shares.busiest());
    }
    assertEquals(Set.of(0, 1, 2, 3), busiest);
    for (int count : counts(shares, 4)) {
      assertTrue(count > 0);
    }
  }
}
