package dev.weir.proxy.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ReloadsTest {
  private long nowMs = 1_000_000;
  private final Reloads reloads = new Reloads(() -> nowMs);

  @Test
  void countsTheStartAsTheFirstSuccess() {
    assertTrue(reloads.isLastTaken());
    assertEquals(1_000, reloads.takenSeconds());
    assertEquals(0, reloads.takenCount());
  }

  @Test
  void keepsTheTimeOfTheLastGoodFilesWhileTheyAreRejected() {
    nowMs += 1_000;
    assertEquals("", reloads.taken());
    nowMs += 1_000;
    reloads.rejected();
    assertFalse(reloads.isLastTaken());
    assertEquals(1_001, reloads.takenSeconds());
    nowMs += 65_500;
    reloads.rejected();
    nowMs += 500;
    assertEquals("; before that they were rejected 2 times, for 66 s", reloads.taken());
    assertTrue(reloads.isLastTaken());
    assertEquals(1_068, reloads.takenSeconds());
    assertEquals(2, reloads.takenCount());
    assertEquals(2, reloads.rejectedCount());
    assertEquals("", reloads.taken());
  }

  @Test
  void isNotWholeWhileSomeOfTheFilesAreRejected() {
    reloads.rejected("a");
    nowMs += 1_000;
    assertEquals("", reloads.taken("b"));
    assertFalse(reloads.isLastTaken());
    assertEquals(1_000, reloads.takenSeconds());
    assertEquals(1, reloads.takenCount());
    assertEquals("; before that they were rejected once, for 1 s", reloads.taken("a"));
    assertTrue(reloads.isLastTaken());
  }
}
