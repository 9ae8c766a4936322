package dev.weir.proxy.admission.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HandNoteTest {
  private static final long DAY_NS = 86_400_000_000_000L;

  @Test
  void tellsWhichLimitWhatIsLeftAndOfARefusalWhenToRetry() {
    long note = HandNote.of(7, (1L << 53) - 1);
    assertEquals(7, HandNote.limit(note));
    assertEquals((1L << 53) - 1, HandNote.remaining(note));
    assertEquals(0, HandNote.retryAtNs(note));
    for (long retryAtNs : new long[] {1, 65_536, DAY_NS + 1, 3_000 * DAY_NS}) {
      note = HandNote.ofRefusal(5, 40, retryAtNs);
      assertEquals(5, HandNote.limit(note));
      assertEquals(40, HandNote.remaining(note));
      long late = HandNote.retryAtNs(note) - retryAtNs;
      assertTrue(late >= 0 && late < 65_536, "late " + late);
    }
    assertEquals(32_767, HandNote.remaining(HandNote.ofRefusal(0, 1L << 40, DAY_NS)));
    assertEquals(0, HandNote.retryAtNs(HandNote.ofRefusal(0, 0, 0)));
  }
}
