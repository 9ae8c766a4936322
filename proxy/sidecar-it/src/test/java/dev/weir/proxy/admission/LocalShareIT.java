package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sidecars that divide a local limit among them; the store does nothing but count them. */
class LocalShareIT {
  private static final String PEERS = "weir_store_peers";

  @Test
  void letsTheWholeFleetPassTheLimitWhileASidecarJoinsAndTheStoreGoesAway() throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start();
        Fleet fleet =
            new Fleet(
                1, Fleet.node(redis), "--mode", "local", "--share", "auto", "--limit", "12/365d")) {
      Rig first = fleet.rig(0);
      assertEquals(12, passing(first, "alone"));
      try (Fleet joining =
          new Fleet(
              1, Fleet.node(redis), "--mode", "local", "--share", "auto", "--limit", "12/365d")) {
        Rig second = joining.rig(0);
        second.await(PEERS, 2);
        first.await(PEERS, 2);
        assertEquals(0, passing(first, "alone"), "what was spent stays spent");
        assertEquals(12, passing(first, "both") + passing(second, "both"));
        redis.kill();
        assertEquals(6, passing(first, "away"), "as last counted");
      }
    }
  }

  @Test
  void fiveSidecarsPassTwoOfTwoInAnHourAlsoWhenTheStoreIsAway() throws Exception {
    for (String[] mode :
        new String[][] {{"--mode", "local", "--share", "auto"}, {"--mode", "exact"}}) {
      List<String> flags = new ArrayList<>(List.of(mode));
      flags.addAll(List.of("--limit", "2/1h"));
      try (RedisServer redis = RedisKind.EMBEDDED.start();
          Fleet fleet = new Fleet(5, Fleet.node(redis), flags.toArray(String[]::new))) {
        for (Rig rig : fleet.rigs) {
          rig.await(PEERS, 5);
        }
        assertEquals(2, passing(fleet, "there"), mode[1]);
        redis.kill();
        for (Rig rig : fleet.rigs) {
          rig.await(StoreRig.DECIDING, 0);
        }
        assertEquals(2, passing(fleet, "away"), mode[1]);
      }
    }
  }

  private static int passing(Fleet fleet, String user) throws Exception {
    int sum = 0;
    for (Rig rig : fleet.rigs) {
      sum += passing(rig, user);
    }
    return sum;
  }

  private static int passing(Rig rig, String user) throws Exception {
    try (RawClient client = rig.connect()) {
      List<Integer> statuses = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        statuses.add(client.send(Fleet.get(user)).read().status());
      }
      return Collections.frequency(statuses, 200);
    }
  }
}
