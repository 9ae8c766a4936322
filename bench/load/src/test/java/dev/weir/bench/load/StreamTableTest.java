package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamTableTest {
  @ParameterizedTest
  @CsvSource({"1, 2", "2, 4", "3, 8", "4, 8", "100, 256", "1048576, 2097152"})
  void hasAtLeastTwiceAsManySlotsAsStreams(int maxStreams, int slots) {
    assertEquals(slots, new StreamTable(maxStreams, StreamTable.FIRST_ID).slots());
  }

  @Test
  void findsAStreamWhileItIsOpen() {
    final StreamTable streams = new StreamTable(2, StreamTable.FIRST_ID);
    final int one = streams.open();
    final int three = streams.open();
    assertEquals(1, streams.id(one));
    assertEquals(three, streams.find(3));
    streams.free(three);
    assertEquals(StreamTable.NONE, streams.find(3));
    assertEquals(1, streams.count());
    streams.clear();
    assertEquals(StreamTable.NONE, streams.find(1));
    assertEquals(0, streams.count());
  }

  @Test
  void leavesOutTheIdentifierWhoseSlotASlowStreamHolds() {
    final StreamTable streams = new StreamTable(2, StreamTable.FIRST_ID); // four slots
    final int slow = streams.open();
    for (int id : new int[] {3, 5, 7, 11}) {
      final int slot = streams.open();
      assertEquals(id, streams.id(slot));
      streams.free(slot);
    }
    assertEquals(1, streams.id(slow));
    assertEquals(StreamTable.NONE, streams.find(9));
  }

  @Test
  void knowsWhichIdentifiersNoStreamHadYet() {
    final StreamTable streams = new StreamTable(2, StreamTable.FIRST_ID);
    assertTrue(streams.isIdle(1));
    streams.free(streams.open());
    assertFalse(streams.isIdle(1));
    assertTrue(streams.isIdle(3));
    assertTrue(streams.isIdle(2)); // the peer's, who opens none
  }

  @Test
  void runsOutOfIdentifiersBeforeOneIsNegative() {
    final StreamTable streams = new StreamTable(1, Integer.MAX_VALUE - 8);
    assertTrue(streams.hasIds());
    while (streams.hasIds()) {
      final int slot = streams.open();
      assertTrue(streams.id(slot) > 0);
      streams.free(slot);
    }
  }
}
