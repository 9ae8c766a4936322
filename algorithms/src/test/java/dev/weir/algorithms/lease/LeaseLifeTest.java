package dev.weir.algorithms.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LeaseLifeTest {
  private static final long SECOND_US = 1_000_000;

  @Test
  void isATenthOfWhatBringsAllBackAndAFiftiethOfALogsWindow() {
    assertEquals(SECOND_US / 10, LeaseLife.ofPacedUs(10_000, 10_000, SECOND_US));
    assertEquals(SECOND_US / 100, LeaseLife.ofPacedUs(1_000, 10_000, SECOND_US));
    assertEquals(SECOND_US / 10, LeaseLife.ofWindowUs(SECOND_US));
    assertEquals(SECOND_US / 50, LeaseLife.ofLogUs(SECOND_US));
  }

  @Test
  void isFromAMicrosecondToTwoSeconds() {
    assertEquals(2 * SECOND_US, LeaseLife.ofWindowUs(60 * SECOND_US));
    assertEquals(2 * SECOND_US, LeaseLife.ofPacedUs(600, 10, SECOND_US));
    assertEquals(1, LeaseLife.ofLogUs(49));
    assertEquals(1, LeaseLife.ofPacedUs(1, 1_000, 1));
  }

  @Test
  void endsAPartOfFiveHundredAndTwelveEarlyRoundedToTheStrictSide() {
    assertEquals(7 + 511_000, LeaseLife.endNs(7, 512));
    assertEquals(7 + 513_000 - 1_002, LeaseLife.endNs(7, 513));
    assertEquals(7 + 998, LeaseLife.endNs(7, 1));
    assertEquals(7, LeaseLife.endNs(7, 0));
  }
}
