package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.VerdictListener;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ParkedRequestsTest {
  private static final VerdictListener NOBODY = (ticket, verdict) -> {};
  private static final int MOST = 5 * ParkedRequests.FIRST_PLACES + 3;

  private final ParkedRequests parked = new ParkedRequests(MOST);

  /** Parks as many as may be, some of them for programs that ask. */
  private List<Long> parkAll() {
    List<Long> tickets = new ArrayList<>();
    for (int i = 0; i < MOST; i++) {
      Purpose purpose = i % 3 == 0 ? Purpose.DECISION : Purpose.TRAFFIC;
      long ticket = parked.next(purpose);
      parked.park(ticket, NOBODY, null, null, purpose, i);
      tickets.add(ticket);
    }
    return tickets;
  }

  @Test
  void hasAPlaceForEachThatMayWaitAndNoneMore() {
    List<Long> tickets = parkAll();
    assertEquals(MOST, new HashSet<>(tickets).size());
    assertEquals(ParkedRequests.FULL, parked.next(Purpose.TRAFFIC));
    for (int i = 0; i < MOST; i++) {
      assertTrue(parked.holds(tickets.get(i)));
      assertEquals(i, parked.startNs(tickets.get(i)));
    }
  }

  @Test
  void aTicketOfAPlaceThatIsUsedAgainNamesNobody() {
    List<Long> before = parkAll();
    before.forEach(parked::leave);
    List<Long> after = parkAll();
    before.forEach(ticket -> assertFalse(parked.holds(ticket)));
    after.forEach(ticket -> assertTrue(parked.holds(ticket)));
  }

  /** Programs that ask, and Envoys, may both fill all that they may. */
  @Test
  void leavesTrafficPlacesWhoeverAsks() {
    ParkedRequests parked = new ParkedRequests(16);
    for (Purpose purpose : List.of(Purpose.DECISION, Purpose.DESCRIPTOR, Purpose.OPERATOR)) {
      long ticket = parked.next(purpose);
      while (ticket != ParkedRequests.FULL) {
        parked.park(ticket, NOBODY, null, null, purpose, 1);
        ticket = parked.next(purpose);
      }
    }
    for (int i = 0; i < 7; i++) {
      long ticket = parked.next(Purpose.TRAFFIC);
      assertNotEquals(ParkedRequests.FULL, ticket, "request " + i);
      parked.park(ticket, NOBODY, null, null, Purpose.TRAFFIC, 1);
    }
  }
}
