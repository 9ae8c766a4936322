package dev.weir.bench.accuracy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.accuracy.TraceComparison.Limiter;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class TallyTest {
  private static final Trace FOUR = Trace.ofOneKey(new long[] {1000, 1010, 1020, 1105});

  /** Decides as it is told. */
  private record Told(BitSet admitted, int[] next) implements Limiter {
    static Told of(int... indexes) {
      final BitSet admitted = new BitSet();
      for (int index : indexes) {
        admitted.set(index);
      }
      return new Told(admitted, new int[1]);
    }

    @Override
    public boolean admit(int key, long nowNs) {
      return admitted.get(next[0]++);
    }

    @Override
    public void close() {}
  }

  private static Tally tally(int... admitted) {
    return new TraceComparison(FOUR, 2, 100).with(Told.of(admitted));
  }

  @Test
  void theLogItselfIsNeverWrong() {
    final Tally tally = tally(0, 1, 3);
    assertEquals(4, tally.requests);
    assertEquals(1, tally.refused);
    assertEquals(0, tally.ownWronglyAllowed + tally.ownWronglyRefused);
    assertEquals(0, tally.aloneWronglyAllowed + tally.aloneWronglyRefused);
    assertEquals(2, tally.worst);
    assertEquals(0, tally.earlyMaxNs);
  }

  @Test
  void oneTooManyIsAllowedWronglyAndEarly() {
    // The third should have waited for the first to leave at 1100, and the fourth, at 1105, finds
    // the second and third of what was admitted still there: the second leaves at 1110.
    final Tally tally = tally(0, 1, 2, 3);
    assertEquals(2, tally.ownWronglyAllowed);
    assertEquals(80, tally.earlyMaxNs);
    assertEquals((80 + 5) / 2.0, tally.earlyMeanNs());
    assertEquals(1, tally.aloneWronglyAllowed);
    assertEquals(3, tally.worst);
  }

  @Test
  void refusingWhatFitsIsRefusedWrongly() {
    // Beside its own log the second was wrong and the third too; alone, the log had no room for
    // the third any more.
    final Tally tally = tally(0, 3);
    assertEquals(2, tally.ownWronglyRefused);
    assertEquals(1, tally.aloneWronglyRefused);
    assertEquals(0, tally.ownWronglyAllowed);
  }

  @Test
  void aMeterIsWrongOnTheWrongSideOfTheLimitOnly() {
    final MeterTally tally = new MeterTally(10);
    tally.add(10, 11);
    tally.add(10.1, 10);
    tally.add(5, 10);
    tally.add(30, 20);
    assertEquals(1, tally.wronglyAllowed);
    assertEquals(1, tally.wronglyRefused);
    assertEquals((1.0 / 11 + 0.01 + 0.5 + 0.5) / 4, tally.meanDifference(), 1e-12);
    assertEquals((-1.0 / 11 + 0.01 - 0.5 + 0.5) / 4, tally.meanSigned(), 1e-12);
  }

  @Test
  void nothingMeasuredIsNotZero() {
    final MeterTally tally = new MeterTally(10);
    assertTrue(Double.isNaN(tally.meanDifference()));
    assertEquals("-", Numbers.percent(0, 0));
    assertEquals("-", Numbers.significant(tally.meanDifference(), 2));
  }

  @Test
  void sharesKeepTwoDigitsHoweverSmall() {
    assertEquals("0", Numbers.percent(0, 7));
    assertEquals("0.000025", Numbers.percent(1, 4_000_000));
    assertEquals("14", Numbers.percent(1, 7));
    assertEquals("100", Numbers.percent(7, 7));
  }
}
