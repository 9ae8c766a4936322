package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class HeldRequestsTest {
  private static final int PLACES = 64;

  @Test
  void theOneDueFirstIsAlwaysTheNext() {
    Random random = new Random(7);
    HeldRequests held = new HeldRequests();
    TreeMap<Long, Long> byDue = new TreeMap<>(); // no two are due at one time
    long[] ticketOf = new long[PLACES];
    for (int step = 0; step < 200_000; step++) {
      int place = random.nextInt(PLACES);
      if (ticketOf[place] == 0) {
        long ticket = (long) (step + 1) << 32 | place;
        long dueNs = ((long) random.nextInt(1000) << 32) + step;
        held.add(ticket, dueNs, step, 2L * step);
        byDue.put(dueNs, ticket);
        ticketOf[place] = ticket;
      } else if (random.nextBoolean()) {
        long ticket = ticketOf[place];
        held.remove(ticket);
        byDue.values().remove(ticket);
        ticketOf[place] = 0;
      } else {
        Map.Entry<Long, Long> first = byDue.pollFirstEntry();
        assertEquals(first.getKey(), held.firstDueNs());
        assertEquals(first.getValue(), held.first());
        assertEquals((first.getValue() >>> 32) - 1, held.remaining(held.first()));
        assertEquals(2 * ((first.getValue() >>> 32) - 1), held.resetAtNs(held.first()));
        ticketOf[(int) held.first()] = 0;
        held.remove(held.first());
      }
      assertEquals(byDue.size(), held.size());
    }
    assertTrue(held.size() > 0);
  }

  @Test
  void anOldTicketTakesNobodyElseOut() {
    HeldRequests held = new HeldRequests();
    held.add(1L << 32, 5, 0, 0);
    held.remove(2L << 32);
    held.remove(1);
    assertEquals(1, held.size());
    held.remove(1L << 32);
    held.remove(1L << 32);
    assertEquals(0, held.size());
  }

  @Test
  void hasRoomForAsManyAsCanBeParked() {
    HeldRequests held = new HeldRequests();
    for (int place = PLACES - 1; place >= 0; place--) {
      held.add(place, place, 0, 0);
    }
    for (int place = 0; place < PLACES; place++) {
      assertEquals(place, held.first());
      held.remove(held.first());
    }
    assertEquals(0, held.size());
  }
}
