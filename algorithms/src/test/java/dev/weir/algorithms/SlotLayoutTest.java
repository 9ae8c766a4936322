package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class SlotLayoutTest {
  private static final long LAST_ID = 0x1fff_ffff_ffff_ffffL;

  @Test
  void offsetsAreTheRulers() {
    assertEquals(0, SlotLayout.KEY_OFFSET);
    assertEquals(8, SlotLayout.STATE_OFFSET);
    assertEquals(16, SlotLayout.SLOT_BYTES);
    assertEquals(4, SlotLayout.SLOTS_PER_LINE);
    assertEquals(1_000_000_000L, SlotLayout.GRACE_NS);
  }

  @Test
  void kindsAreTheRulers() {
    assertEquals(0, SlotLayout.EMPTY);
    assertEquals(0x8000_0000_0000_0000L, SlotLayout.TOMBSTONE);
    assertEquals(0xa000_0000_0000_0000L, SlotLayout.CLAIMED);
    assertEquals(0xc000_0000_0000_0000L, SlotLayout.PENDING);
    assertEquals(0xe000_0000_0000_0000L, SlotLayout.HELD);
    assertEquals(LAST_ID, SlotLayout.PAYLOAD_MASK);
    assertEquals(0x9000_0000_0000_0000L, SlotLayout.MOVED);
    assertEquals(0x0fff_ffff_ffff_ffffL, SlotLayout.TIME_MASK);
    assertEquals(0x8000_0000_0000_0007L, SlotLayout.tombstone(7));
    assertEquals(0x9000_0000_0000_0007L, SlotLayout.moved(7));
    assertTrue(SlotLayout.isMoved(SlotLayout.moved(7)) && !SlotLayout.isMoved(SlotLayout.HELD));
    assertFalse(SlotLayout.isMoved(SlotLayout.tombstone(7)) || SlotLayout.isMoved(7));
  }

  @Test
  void everyStateIsOfOneKind() {
    for (long payload : new long[] {1, 7, LAST_ID}) {
      assertTrue(SlotLayout.isLive(payload));
      assertFalse(SlotLayout.isLive(SlotLayout.TOMBSTONE | payload));
      assertFalse(SlotLayout.isPending(SlotLayout.TOMBSTONE | payload));
      assertFalse(SlotLayout.isHeld(SlotLayout.TOMBSTONE | payload));
      assertTrue(SlotLayout.isPending(SlotLayout.PENDING | payload));
      assertFalse(SlotLayout.isHeld(SlotLayout.PENDING | payload));
      assertFalse(SlotLayout.isHeld(SlotLayout.CLAIMED | payload));
      assertTrue(SlotLayout.isHeld(SlotLayout.HELD | payload));
      assertFalse(SlotLayout.isLive(SlotLayout.HELD | payload));
      assertFalse(SlotLayout.isPending(SlotLayout.HELD | payload));
      assertFalse(SlotLayout.isPending(SlotLayout.CLAIMED | payload));
    }
  }

  @Test
  void onlyWhatIsPastByMoreThanTheGraceMayBeTaken() {
    final long time = 5_000_000_000L;
    final long graceEnd = 6_000_000_000L;
    for (long state : new long[] {time, SlotLayout.tombstone(time), SlotLayout.moved(time)}) {
      assertFalse(SlotLayout.isClaimable(state, time));
      assertFalse(SlotLayout.isClaimable(state, graceEnd));
      assertTrue(SlotLayout.isClaimable(state, graceEnd + 1));
    }
    assertTrue(SlotLayout.isClaimable(SlotLayout.EMPTY, 1));
    assertTrue(SlotLayout.isClaimable(SlotLayout.tombstone(0), 1));
    assertFalse(SlotLayout.isClaimable(SlotLayout.PENDING | 1, Limit.MAX_TIME_NS));
    assertFalse(SlotLayout.isClaimable(SlotLayout.CLAIMED | 1, Limit.MAX_TIME_NS));
    assertFalse(SlotLayout.isClaimable(SlotLayout.HELD | 1, Limit.MAX_TIME_NS));
  }
}
