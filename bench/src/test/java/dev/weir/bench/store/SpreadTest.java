package dev.weir.bench.store;

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
  }

  @Test
  void ratiosAreOfTheSameRound() {
    final Results results = new Results();
    for (int round = 1; round <= 3; round++) {
      results.add("a", sample(round));
      results.add("b", sample(10.0 * round * round));
    }
    assertEquals(new Spread(20, 10, 30), results.ratio("b", "a", Sample::serverUs));
    assertEquals("-", results.ratio("a", "none", Sample::serverUs).text(2));
  }

  private static Sample sample(double serverUs) {
    return new Sample(1, 1, serverUs, 1, 1, 1, 1, 1, 1, 0);
  }
}
