package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Asker;
import dev.weir.proxy.request.Purpose;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ParkedRequestsTest {
  private static final Asker NOBODY = (ticket, verdict) -> {};
  private static final int MOST = 5 * ParkedRequests.FIRST_PLACES + 3;

  private final ParkedRequests parked = new ParkedRequests(MOST);

  private List<Long> park(int count) {
    List<Long> tickets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long ticket = parked.next(Purpose.TRAFFIC);
      parked.park(ticket, NOBODY, null, null, Purpose.TRAFFIC, tickets.size());
      tickets.add(ticket);
    }
    return tickets;
  }

  @Test
  void hasAPlaceForEachThatMayWaitAndNoneMore() {
    List<Long> tickets = park(MOST);
    assertEquals(MOST, new HashSet<>(tickets).size());
    assertEquals(ParkedRequests.FULL, parked.next(Purpose.TRAFFIC));
    for (int i = 0; i < MOST; i++) {
      assertTrue(parked.holds(tickets.get(i)));
      assertEquals(i, parked.startNs(tickets.get(i)));
    }
  }

  @Test
  void aTicketOfAPlaceThatIsUsedAgainNamesNobody() {
    List<Long> before = park(MOST);
    before.forEach(parked::leave);
    List<Long> after = park(MOST);
    before.forEach(ticket -> assertFalse(parked.holds(ticket)));
    after.forEach(ticket -> assertTrue(parked.holds(ticket)));
  }
}
