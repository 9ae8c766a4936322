package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

class LoadLayoutTest {
  private static int[] spread(int connections, double... weights) {
    return LoadLayout.spread(connections, weights);
  }

  @Test
  void allConnectionsAreSpreadByWeight() {
    assertArrayEquals(new int[] {16}, spread(16, 1));
    assertArrayEquals(new int[] {9, 1}, spread(10, 9, 1));
    assertArrayEquals(new int[] {6, 5, 5}, spread(16, 1, 1, 1));
    assertArrayEquals(new int[] {20_000, 40_000}, spread(60_000, 0.1, 0.2));
  }

  @Test
  void everyTargetHasOne() {
    assertArrayEquals(new int[] {14, 1, 1}, spread(16, 1_000, 1, 1));
    assertArrayEquals(new int[] {1, 1, 1}, spread(3, 1_000, 1, 1));
  }
}
