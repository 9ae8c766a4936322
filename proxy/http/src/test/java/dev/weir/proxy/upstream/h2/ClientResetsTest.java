package dev.weir.proxy.upstream.h2;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.ClientKey;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClientResetsTest {
  private static final long CLIENT = 7;
  private static final long ONE_NS = TimeUnit.SECONDS.toNanos(ClientResets.SECONDS_OF_ONE);
  private static final long START_NS = 1;

  private final ClientResets resets = new ClientResets();

  private void count(long client, int times, long nowNs) {
    for (int i = 0; i < times; i++) {
      resets.count(client, nowNs);
    }
  }

  @Test
  void manyAreMoreThanTwentyAtOneTime() {
    assertFalse(resets.areMany(CLIENT, START_NS));
    count(CLIENT, ClientResets.MOST, START_NS);
    assertFalse(resets.areMany(CLIENT, START_NS));
    count(CLIENT, 1, START_NS);
    assertTrue(resets.areMany(CLIENT, START_NS));
    assertFalse(resets.areMany(CLIENT + 1, START_NS));
  }

  @Test
  void oneEachFiveSecondsIsNeverMany() {
    for (int i = 0; i < 1_000; i++) {
      resets.count(CLIENT, START_NS + i * ONE_NS);
      assertFalse(resets.areMany(CLIENT, START_NS + i * ONE_NS));
    }
  }

  @Test
  void manyStayManyUntilNoneCounts() {
    count(CLIENT, ClientResets.MOST + 1, START_NS);
    long endNs = START_NS + (ClientResets.MOST + 1) * ONE_NS;
    assertTrue(resets.areMany(CLIENT, endNs - 1));
    assertFalse(resets.areMany(CLIENT, endNs));
    count(CLIENT, 1, endNs);
    assertFalse(resets.areMany(CLIENT, endNs), "they begin anew");
  }

  @Test
  void whoeverResetsForLongIsForgivenInTenMinutes() {
    count(CLIENT, 100_000, START_NS);
    assertTrue(resets.areMany(CLIENT, START_NS + 120 * ONE_NS - 1));
    assertFalse(resets.areMany(CLIENT, START_NS + 120 * ONE_NS));
  }

  @Test
  void nobodyIsBlamedForClientsWhoAreNotKnownApart() {
    count(ClientKey.NONE, 1_000, START_NS);
    assertFalse(resets.areMany(ClientKey.NONE, START_NS));
  }

  @Test
  void whoOwesLeastMakesRoomForOthers() {
    count(CLIENT, ClientResets.MOST + 1, START_NS);
    for (long other = 1_000; other < 101_000; other++) {
      count(other, 2, START_NS);
    }
    assertTrue(resets.areMany(CLIENT, START_NS));
    count(100_999, ClientResets.MOST - 1, START_NS);
    assertTrue(resets.areMany(100_999, START_NS), "the last one that came is known");
  }
}
