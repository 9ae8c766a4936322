package dev.weir.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.simulation.Uses;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Rate;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WindowCheckTest {
  private static final long WINDOW_US = 1_000_000;

  /** An edge of windows of a second, far from 1970 as real ones are. */
  private static final long EDGE_US = 1_800_000_000L * WINDOW_US;

  private static long over(Algorithm algorithm, long... momentsUs) {
    final long[] spans = new long[2 * momentsUs.length];
    for (int i = 0; i < momentsUs.length; i++) {
      spans[2 * i] = momentsUs[i];
      spans[2 * i + 1] = momentsUs[i];
    }
    return overOfSpans(algorithm, spans);
  }

  private static LimitSpec limit(Algorithm algorithm) {
    return FleetOptions.limit(algorithm, Rate.parse("10/1s"));
  }

  /** Of spans from and to, one behind the other. */
  private static long overOfSpans(Algorithm algorithm, long... fromAndToUs) {
    final Intervals admitted = new Intervals();
    for (int i = 0; i < fromAndToUs.length; i += 2) {
      admitted.add(EDGE_US + fromAndToUs[i], EDGE_US + fromAndToUs[i + 1]);
    }
    return WindowCheck.of(limit(algorithm)).over(admitted);
  }

  private static long[] moments(int count, long atUs, long... more) {
    final long[] moments = Arrays.copyOf(more, more.length + count);
    Arrays.fill(moments, more.length, moments.length, atUs);
    return moments;
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsNotOver(Algorithm algorithm) {
    assertEquals(0, over(algorithm));
  }

  @ParameterizedTest
  @EnumSource
  void asManyAsTheLimitAtOneMomentAreWithinAndOneMoreIsOver(Algorithm algorithm) {
    assertEquals(0, over(algorithm, moments(9, 5)));
    assertEquals(0, over(algorithm, moments(10, 5)));
    assertEquals(1, over(algorithm, moments(11, 5)));
    assertEquals(4, over(algorithm, moments(14, 5)));
  }

  @ParameterizedTest
  @EnumSource
  void theyAreFoundInWhateverOrderTheyAreTold(Algorithm algorithm) {
    final long[] moments = {9, 3, 3, 7, 1, 8, 2, 6, 5, 4, 0};
    assertEquals(1, over(algorithm, moments));
  }

  @ParameterizedTest
  @EnumSource
  void aRequestWhoseSpanReachesOutOfTheWindowIsNotHeldAgainstIt(Algorithm algorithm) {
    // Each of them may have been admitted long before the others, or long behind.
    final long[] spans = new long[22];
    spans[0] = -WINDOW_US;
    assertEquals(0, overOfSpans(algorithm, spans));
    spans[0] = 0;
    spans[1] = 3 * WINDOW_US;
    assertEquals(0, overOfSpans(algorithm, spans));
    spans[1] = 1;
    assertEquals(1, overOfSpans(algorithm, spans));
  }

  @Test
  void whatPacesHasABurstAndWhatComesBack() {
    // 100 ms bring one unit back.
    assertEquals(0, over(Algorithm.GCRA, moments(10, 0, 100_000)));
    assertEquals(1, over(Algorithm.GCRA, moments(10, 0, 99_999)));
    assertEquals(0, over(Algorithm.GCRA, moments(10, 0, 100_000, 200_000, 300_000)));
    assertEquals(1, over(Algorithm.GCRA, moments(10, 0, 100_000, 200_000, 299_999)));
  }

  @Test
  void theWorstWindowOfWhatPacesMayBeAnyAndLieBetweenOthers() {
    // A quiet second on either side gives nothing that this one could have used.
    assertEquals(2, over(Algorithm.TOKEN_BUCKET, moments(12, 2_000_000, 0, 4_000_000)));
    assertEquals(
        1, over(Algorithm.LEAKY_BUCKET, moments(5, 50_000, 0, 0, 0, 0, 0, 99_999, 5_000_000)));
  }

  @Test
  void aLogHasTheLimitInAnyWindowWhereverItBegins() {
    assertEquals(1, over(Algorithm.SLIDING_LOG, moments(10, 500_000, 1_499_999)));
    assertEquals(0, over(Algorithm.SLIDING_LOG, moments(10, 500_000, 1_500_000)));
  }

  @Test
  void aFixedWindowKnowsNothingOfTheOneBefore() {
    assertEquals(
        0, over(Algorithm.FIXED_WINDOW, concat(moments(10, 999_999), moments(10, 1_000_000))));
    assertEquals(1, over(Algorithm.FIXED_WINDOW, concat(moments(10, 999_999), moments(1, 0))));
  }

  @Test
  void aCounterCountsTheWindowBeforeByWhatIsStillCovered() {
    // Half of ten is still covered, so five more are within.
    assertEquals(0, over(Algorithm.SLIDING_COUNTER, concat(moments(10, 1), moments(5, 1_500_000))));
    assertEquals(1, over(Algorithm.SLIDING_COUNTER, concat(moments(10, 1), moments(6, 1_500_000))));
    assertEquals(
        0, over(Algorithm.SLIDING_COUNTER, concat(moments(10, 1), moments(10, 2_000_000))));
  }

  @Test
  void aRingMovesByATenthOfItsWindow() {
    assertEquals(0, over(Algorithm.BUCKET_RING, moments(10, 99_999, 1_000_000)));
    assertEquals(1, over(Algorithm.BUCKET_RING, moments(10, 100_000, 1_099_999)));
    assertEquals(1, over(Algorithm.BUCKET_RING, moments(10, 99_999, 999_999)));
  }

  private static long[] concat(long[] first, long[] second) {
    final long[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  /** Where moments are known it must be as strict as the judge of simulations, which knows them. */
  @ParameterizedTest
  @EnumSource
  void withoutDoubtAboutTheMomentsItFindsAllThatIsOver(Algorithm algorithm) {
    final SplittableRandom random = new SplittableRandom(7);
    int found = 0;
    for (int trace = 0; trace < 300; trace++) {
      final Intervals admitted = new Intervals();
      final Uses uses = Uses.of(limit(algorithm));
      long atUs = EDGE_US + random.nextInt((int) WINDOW_US);
      long over = 0;
      final int gapUs = 20_000 + random.nextInt(300_000);
      for (int i = 0; i < 30; i++) {
        atUs += random.nextInt(4) == 0 ? random.nextInt(3 * gapUs) : random.nextInt(gapUs);
        over = Math.max(over, uses.use(atUs, 1));
        admitted.add(atUs, atUs);
      }
      assertEquals(over, WindowCheck.of(limit(algorithm)).over(admitted), "trace " + trace);
      found += over > 0 ? 1 : 0;
    }
    assertTrue(found > 30 && found < 270, found + " of 300 over");
  }

  /** It must never accuse: what is over by spans is over at any moments within them. */
  @ParameterizedTest
  @EnumSource
  void whateverTheMomentsWereWhatItSaysIsNotMoreThanWasOver(Algorithm algorithm) {
    final SplittableRandom random = new SplittableRandom(8);
    int found = 0;
    for (int trace = 0; trace < 300; trace++) {
      final Intervals exact = new Intervals();
      final Intervals doubtful = new Intervals();
      long atUs = EDGE_US + random.nextInt((int) WINDOW_US);
      for (int i = 0; i < 40; i++) {
        atUs += random.nextInt(4) == 0 ? random.nextInt(300_000) : random.nextInt(40_000);
        exact.add(atUs, atUs);
        doubtful.add(atUs - random.nextInt(50_000), atUs + random.nextInt(50_000));
      }
      final long over = WindowCheck.of(limit(algorithm)).over(exact);
      final long proven = WindowCheck.of(limit(algorithm)).over(doubtful);
      assertTrue(proven <= over, proven + " proven of " + over + ", trace " + trace);
      found += proven > 0 ? 1 : 0;
    }
    assertTrue(found > 50, found + " of 300 proven");
  }
}
