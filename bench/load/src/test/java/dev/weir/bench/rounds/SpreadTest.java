package dev.weir.bench.rounds;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SpreadTest {
  @Test
  void takesTheMiddleOfAnOddNumberAndTheMeanOfTheTwoOfAnEvenOne() {
    assertEquals(new Spread(2, 1, 9), Spread.of(9, 1, 2));
    assertEquals(new Spread(3, 1, 9), Spread.of(9, 4, 1, 2));
  }

  @Test
  void showsADashForWhatWasNotMeasured() {
    assertEquals("-", Spread.of().text(2));
    assertEquals("-", Spread.of(Double.NaN).text(2));
    assertEquals("2.0 (1.0..9.0)", Spread.of(9, 1, 2).text(1));
    assertEquals("2.0 (1.0..9.0)", Spread.of(Double.NaN, 9, 1, 2).text(1));
  }

  @Test
  void ratiosAreOfTheSameRound() {
    assertEquals(
        new Spread(20, 10, 30), Spread.ratio(new double[] {10, 40, 90}, new double[] {1, 2, 3}));
  }

  @Test
  void roundsThatOnlyOneHasHaveNoRatio() {
    assertEquals(new Spread(2, 2, 2), Spread.ratio(new double[] {4, 9, 9}, new double[] {2}));
    assertEquals("-", Spread.ratio(new double[] {4}, new double[0]).text(2));
  }

  @Test
  void nothingHasARatioToNothing() {
    assertEquals(new Spread(2, 2, 2), Spread.ratio(new double[] {4, 0, 9}, new double[] {2, 0, 0}));
    assertEquals("-", Spread.ratio(new double[] {0}, new double[] {0}).text(2));
  }
}
