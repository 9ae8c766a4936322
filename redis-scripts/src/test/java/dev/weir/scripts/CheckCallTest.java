package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class CheckCallTest {
  @Test
  void refusesWhatADoubleCannotCountAndWritesNothing() {
    CheckCall call = new CheckCall().check(1, 1);
    final int before = call.length();
    final long most = ((1L << 53) - 1) / 3_600_000_000L;
    IllegalArgumentException fault =
        assertThrows(
            IllegalArgumentException.class, () -> call.slidingCounter(most + 1, 3_600_000_000L));
    assertEquals(
        "limit: 2502000 (expected: at most 2501999, to be exact in microseconds)",
        fault.getMessage());
    assertEquals(before, call.length());
    call.slidingCounter(most, 3_600_000_000L);
    assertEquals(before + 33, call.length());
  }

  @Test
  void refusesMoreThanAThousandKeysAndCostsOfNothing() {
    CheckCall call = new CheckCall();
    assertThrows(IllegalArgumentException.class, () -> call.check(1, 0));
    assertThrows(IllegalArgumentException.class, () -> call.check(1L << 40, 1L << 40));
    for (int i = 0; i < CheckCall.MAX_KEYS; i++) {
      call.check(1, 1).slidingLog(1, 1);
    }
    assertEquals(1000, call.keyCount());
    assertThrows(IllegalArgumentException.class, () -> call.check(1, 1));
  }
}
