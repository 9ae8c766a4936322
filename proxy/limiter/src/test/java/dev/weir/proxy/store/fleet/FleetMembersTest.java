package dev.weir.proxy.store.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FleetMembersTest {
  private final List<String> told = new ArrayList<>();
  private final FleetMembers peers =
      new FleetMembers(null, "", () -> "", (count, rank) -> told.add(rank + " of " + count));
  private final long startNs = System.nanoTime();

  private void counted(int count, int rank, int afterSeconds) {
    peers.counted(count, rank, startNs + TimeUnit.SECONDS.toNanos(afterSeconds));
  }

  @Test
  void takeWhatLeavesThisSidecarLessAtOnceAndWhatLeavesItMoreOnceItLasts() {
    counted(1, 0, 0);
    assertEquals(List.of(), told);
    counted(5, 3, 2);
    counted(5, 2, 4); // one before it has gone, and another one has come
    counted(4, 2, 6);
    assertEquals(List.of("3 of 5"), told);
    counted(4, 2, 9);
    assertEquals(List.of("3 of 5", "2 of 4"), told);
    counted(1, 0, 10); // a server that has just started
    counted(6, 2, 12);
    assertEquals(List.of("3 of 5", "2 of 4", "2 of 6"), told);
  }

  @Test
  void areFiguresOnlyOnceSharesAreOfThatMany() {
    List<Integer> before = new ArrayList<>();
    FleetMembers[] members = new FleetMembers[1];
    members[0] =
        new FleetMembers(null, "", () -> "", (count, rank) -> before.add(members[0].count()));
    members[0].counted(5, 3, startNs);
    assertEquals(List.of(1), before);
    assertEquals(5, members[0].count());
  }
}
