package dev.weir.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.fleet.WindowCheck.MaxTree;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MaxTreeTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9, 31})
  void isAsAnArrayThatIsLookedThrough(int places) {
    final SplittableRandom random = new SplittableRandom(places);
    final MaxTree tree = new MaxTree(places);
    final long[] plain = new long[places];
    for (int i = 0; i < 500; i++) {
      final int from = random.nextInt(places);
      final int to = from + 1 + random.nextInt(places - from);
      final long value = random.nextInt(-10, 11);
      tree.add(from, to, value);
      for (int place = from; place < to; place++) {
        plain[place] += value;
      }
      final int asked = random.nextInt(places);
      assertEquals(
          Arrays.stream(plain, asked, places).max().orElseThrow(), tree.max(asked), "step " + i);
    }
  }
}
