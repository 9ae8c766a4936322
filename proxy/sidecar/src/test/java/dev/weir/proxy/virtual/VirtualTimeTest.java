package dev.weir.proxy.virtual;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A sidecar in virtual time, for a few seconds of seeds that are always the same, among them one
 * that found a fault. {@code bench/scripts/virtual-time} runs other seeds for longer.
 */
class VirtualTimeTest {
  private static final int EPISODES = 300;
  private static final long MOST_NS = TimeUnit.SECONDS.toNanos(2);

  /** How long to run; 0 for the few seconds of a build. */
  private static final long MINUTES = Long.getLong("weir.virtual.minutes", 0);

  private static final long SEED = Long.getLong("weir.virtual.seed", 11_370_911_744_663L);

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void leavesNothingBehindWhateverComesInWhateverOrder(long seed) {
    assumeTrue(MINUTES == 0, "another seed is run for longer");
    new VirtualRun(seed).run(EPISODES, MOST_NS);
  }

  @Test
  void leavesNothingBehindInTheOrderOfTheGivenSeed() {
    VirtualRun run = new VirtualRun(SEED);
    try {
      if (MINUTES == 0) {
        run.run(EPISODES, MOST_NS);
      } else {
        run.run(Long.MAX_VALUE, TimeUnit.MINUTES.toNanos(MINUTES));
      }
    } finally {
      System.out.println(run.figures());
    }
  }
}
