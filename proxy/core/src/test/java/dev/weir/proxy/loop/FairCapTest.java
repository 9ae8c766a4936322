package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.ClientKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FairCapTest {
  /** Takes all that it may; how much that is. */
  private static int fill(FairCap cap, long client) {
    int count = 0;
    while (cap.hasRoom(client)) {
      cap.take(client);
      count++;
    }
    return count;
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 1", "2, 2", "3, 3", "4, 3", "8, 6", "256, 192", "4096, 3072"})
  void leavesAQuarterOfAllButAFewToOthers(int places, int taken) {
    assertEquals(taken, fill(new FairCap(places), 7));
  }

  @Test
  void hasAPlaceForEveryNewcomerUntilThereIsNone() {
    FairCap cap = new FairCap(256);
    int last = Integer.MAX_VALUE;
    int sum = 0;
    long client = 1;
    for (; sum < 256; client++) {
      int taken = fill(cap, client);
      assertTrue(taken >= 1 && taken <= last, client + " took " + taken);
      last = taken;
      sum += taken;
    }
    assertEquals(256, sum);
    assertTrue(client > 32, client + " clients have taken all");
    assertFalse(cap.hasRoom(1_000));
  }

  @Test
  void boundsThoseWithoutAKeyByTheCapAlone() {
    FairCap cap = new FairCap(256);
    assertEquals(256, fill(cap, ClientKey.NONE));
    cap.leave(ClientKey.NONE);
    assertTrue(cap.hasRoom(7));
  }

  @Test
  void givesBackWhatIsLeft() {
    FairCap cap = new FairCap(8);
    assertEquals(6, fill(cap, 7));
    assertTrue(cap.isScarce());
    for (int i = 0; i < 6; i++) {
      cap.leave(7);
    }
    assertFalse(cap.isScarce());
    assertEquals(6, fill(cap, 7));
  }
}
