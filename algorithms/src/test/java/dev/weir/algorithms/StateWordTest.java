package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateWordTest {
  @ParameterizedTest
  @CsvSource({
    "524288,             1, 19, 20",
    "1000000,            1, 19, 20",
    "8388607,            1, 19, 20",
    "8388608,            2, 23, 24",
    "67108864,           3, 26, 27",
    "100000000,          3, 26, 27",
    "536870911,          3, 26, 27",
    "1000000000,         4, 29, 30",
    "60000000000,        5, 35, 36",
    "3600000000000,      6, 41, 42",
    "86400000000000,     7, 46, 47",
    "144115188075855871, 7, 46, 47",
  })
  void theGrainIsTheCoarsestThatKeepsExpiriesApart(
      long spacingNs, int grain, int shift, int countBits) {
    assertEquals(grain, StateWord.grain(spacingNs));
    assertEquals(shift, StateWord.shift(grain));
    assertEquals(countBits, StateWord.countBits(grain));
  }

  @Test
  void bitsAreTheRulers() {
    assertEquals(0x1000_0000_0000_0000L, StateWord.empty(1, 19, 0));
    assertEquals(0x7000_0000_0000_0000L, StateWord.empty(7, 46, 0));
    assertEquals(0x1000_0000_0010_0000L, StateWord.empty(1, 19, 1 << 19));
    assertEquals(0x4000_0000_4000_0000L, StateWord.empty(4, 29, (2L << 29) - 1));
    assertEquals(0x4fff_ffff_c000_0000L, StateWord.empty(4, 29, (1L << 59) - 1));
    assertEquals(524_288, Limit.MIN_WINDOW_NS);
    assertEquals(144_115_188_075_855_871L, Limit.MAX_WINDOW_NS);
    assertEquals(288_230_376_151_711_744L, Limit.MAX_TIME_NS);
  }

  @Test
  void aWordIsLiveAndExpiresAtItsTimeOrLessThanAGrainLater() {
    final SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 1_000_000; i++) {
      final int grain = 1 + random.nextInt(7);
      final int shift = StateWord.shift(grain);
      final long expiresAtNs = 1 + random.nextLong((1L << 59) - 1);
      final long count = random.nextLong(1L << StateWord.countBits(grain));
      final long word = StateWord.empty(grain, shift, expiresAtNs) + count;
      assertTrue(SlotLayout.isLive(word));
      final long readNs = SlotLayout.expiresAtNs(word);
      assertTrue(readNs > expiresAtNs && readNs - expiresAtNs <= 1L << shift);
      assertEquals(readNs - (1L << shift), StateWord.expiryFloorNs(word, shift));
    }
    assertEquals(12_345, StateWord.expiresAtNs(12_345));
  }

  @Test
  void ofTwoWordsTheLaterWindowsIsTheLargerWhateverTheyCount() {
    final long spacingNs = 1_000_000_000L;
    final long full = (1L << 30) - 1;
    for (long expiresAtNs = spacingNs; expiresAtNs < 1_000 * spacingNs; expiresAtNs += spacingNs) {
      assertTrue(
          StateWord.empty(4, 29, expiresAtNs) + full
              < StateWord.empty(4, 29, expiresAtNs + spacingNs));
    }
  }
}
