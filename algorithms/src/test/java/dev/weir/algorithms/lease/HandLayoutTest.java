package dev.weir.algorithms.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HandLayoutTest {
  @Test
  void offsetsAreTheRulers() {
    assertEquals(0, HandLayout.LEASE_OFFSET);
    assertEquals(2, HandLayout.LEASES);
    assertEquals(16, HandLayout.DEMAND_OFFSET);
    assertEquals(24, HandLayout.ASKED_OFFSET);
    assertEquals(32, HandLayout.AHEAD_OFFSET);
    assertEquals(40, HandLayout.SPACING_OFFSET);
    assertEquals(48, HandLayout.REMAINING_OFFSET);
    assertEquals(56, HandLayout.RESET_AT_OFFSET);
    assertEquals(64, HandLayout.HAND_BYTES);
    assertEquals(8, HandLayout.KEY_BYTES);
    assertEquals(8, HandLayout.WAYS);
    assertEquals(1_000_000_000L, HandLayout.GRACE_NS);
  }
}
