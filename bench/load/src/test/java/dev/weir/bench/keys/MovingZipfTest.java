package dev.weir.bench.keys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MovingZipfTest {
  private final SplittableRandom random = new SplittableRandom(0x5EED);

  private int[] counts(MovingZipf shares, int sidecars) {
    final int[] counts = new int[sidecars];
    for (int i = 0; i < 60_000; i++) {
      counts[shares.draw(random)]++;
    }
    return counts;
  }

  @Test
  void theKthBusiestHasAShareOfOneByK() {
    // 1 + 1/2 + 1/3 are eleven sixths.
    final int[] counts = counts(new MovingZipf(3, 1), 3);
    assertEquals(60_000 * 6 / 11, counts[0], 500);
    assertEquals(60_000 * 3 / 11, counts[1], 500);
    assertEquals(60_000 * 2 / 11, counts[2], 500);
  }

  @Test
  void inTimeEachOfThemIsTheBusiestAndAllAreAsked() {
    final MovingZipf shares = new MovingZipf(4, 1);
    final Set<Integer> busiest = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      shares.move(random);
      busiest.add(shares.first());
    }
    assertEquals(Set.of(0, 1, 2, 3), busiest);
    for (int count : counts(shares, 4)) {
      assertTrue(count > 0);
    }
  }
}
