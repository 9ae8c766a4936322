package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.manual.ManualPage;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FourWays;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.LuaScript;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.FreePorts;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisSentinels;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import io.grpc.StatusRuntimeException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bans of sidecars that share a store. */
@Timeout(60)
class BanFleetIT {
  private static final RedisServer redis = RedisServer.shared();

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  private static String file(String node, String mode) {
    return FourWays.SETTINGS
        + "service: shop\nredis: {nodes: '"
        + node
        + "', deadline: 1s}\nrules:\n  - {id: r, key: header:x-user, limit: 2/365d,"
        + " algorithm: fixed-window, ban: {after: 3/1h, for: [1h, 2h]}, mode: "
        + mode
        + "}\n";
  }

  private static String reason(RawClient client, String user) throws Exception {
    RawClient.Response answer = client.send(Fleet.get(user)).read();
    return answer.status() == 200
        ? ""
        : answer.body().replaceAll(".*\"reason\":\"(\\w+)\".*", "$1").strip();
  }

  /** Has a user banned by a sidecar that nobody else has told. */
  private static void ban(Rig rig, String user) throws Exception {
    try (RawClient client = rig.connect()) {
      String reason = "";
      for (int i = 0; i < 12 && !reason.equals("banned"); i++) {
        reason = reason(client, user);
      }
      assertEquals("banned", reason);
    }
  }

  /** Waits until a sidecar was told of a ban; to ask it about the user could begin one there. */
  private static void awaitBanned(Rig rig, String user) throws Exception {
    rig.await("weir_bans_learned_total", 1);
    try (RawClient client = rig.connect()) {
      assertEquals("banned", reason(client, user));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void aBanIsKnownOnAllSidecarsAndAfterARestart(String mode) throws Exception {
    String file = file(Fleet.node(redis), mode);
    try (Fleet fleet = Fleet.ofFile(2, file).deciding(1)) {
      ban(fleet.rig(0), "ann");
      awaitBanned(fleet.rig(1), "ann");
      assertEquals(1, fleet.sum("weir_bans_total"), "it began once");
      try (RawClient client = fleet.rig(1).connect()) {
        assertFalse(reason(client, "bob").equals("banned"));
      }
    }
    try (Fleet restarted = Fleet.ofFile(1, file);
        RawClient client = restarted.rig(0).connect()) {
      assertEquals("banned", reason(client, "ann"), "with the first request");
    }
    try (RespClient store = redis.connect()) {
      List<?> names = (List<?>) store.call("HKEYS", "rl:{p000}:bans:shop");
      assertEquals(1, names.size());
      assertTrue(RespClient.textOf(names.get(0)).matches("r:[0-9a-f]{16}"), "of whom is not told");
    }
  }

  @Test
  void aResetOnOneSidecarEndsTheBanOnAll(@TempDir Path folder) throws Exception {
    String file = ResetCall.withToken(folder, file(Fleet.node(redis), "local"));
    try (Fleet fleet = Fleet.ofFile(2, file).deciding(1)) {
      ban(fleet.rig(0), "ann");
      awaitBanned(fleet.rig(1), "ann");
      ResetCall.reset(fleet.rig(1), "ann");
      try (RawClient there = fleet.rig(1).connect();
          RawClient here = fleet.rig(0).connect()) {
        assertEquals("", reason(there, "ann"), "at once where it was asked");
        Await.until("no ban there either", () -> !reason(here, "ann").equals("banned"));
        assertEquals("over_limit", reason(here, "ann"), "and its earlier refusals are forgotten");
      }
    }
  }

  @Test
  void aResetInTheStoreEndsTheBanOnceItHasBeenDone(@TempDir Path folder) throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port());
        Fleet fleet =
            Fleet.ofFile(
                    1, ResetCall.withToken(folder, file("127.0.0.1:" + faults.port(), "exact")))
                .deciding(1);
        RawClient client = fleet.rig(0).connect()) {
      ban(fleet.rig(0), "ann");
      faults.refuse();
      assertThrows(StatusRuntimeException.class, () -> ResetCall.reset(fleet.rig(0), "ann"));
      assertEquals("banned", reason(client, "ann"), "as nothing was reset");
      faults.pass();
      Await.until("a store that resets", () -> isReset(fleet.rig(0), "ann"));
      assertEquals("", reason(client, "ann"));
    }
  }

  private static boolean isReset(Rig rig, String user) {
    try {
      ResetCall.reset(rig, user);
      return true;
    } catch (StatusRuntimeException away) {
      return false;
    }
  }

  @Test
  void bansHoldWhileTheStoreIsAwayAndAreToldLater() throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port());
        Fleet away = Fleet.ofFile(1, file("127.0.0.1:" + faults.port(), "local")).deciding(1);
        Fleet there = Fleet.ofFile(1, file(Fleet.node(redis), "local")).deciding(1)) {
      faults.refuse();
      ban(away.rig(0), "ann");
      try (RespClient store = redis.connect()) {
        assertEquals(0L, store.call("EXISTS", "rl:{p000}:bans:shop"));
      }
      ban(there.rig(0), "bob");
      faults.pass();
      awaitBanned(there.rig(0), "ann");
      awaitBanned(away.rig(0), "bob");
    }
  }

  @Test
  void bansHoldOverAFailover() throws Exception {
    try (RedisSentinels sentinels = RedisSentinels.start(RedisKind.EMBEDDED.binary())) {
      String nodes = String.join("', '", sentinels.sentinels().stream().map(Fleet::node).toList());
      String file =
          file(nodes, "local")
              .replace("{nodes: '", "{topology: sentinel, sentinel-master: weir, nodes: ['")
              .replace("', deadline", "'], deadline");
      try (Fleet fleet = Fleet.ofFile(2, file).deciding(1)) {
        ban(fleet.rig(0), "ann");
        awaitBanned(fleet.rig(1), "ann");
        sentinels.awaitReplica();
        sentinels.awaitPromotion(sentinels.killMaster());
        ban(fleet.rig(1), "bob");
        awaitBanned(fleet.rig(0), "bob");
        for (Rig rig : fleet.rigs) {
          try (RawClient client = rig.connect()) {
            assertEquals("banned", reason(client, "ann"));
          }
        }
      }
      try (Fleet restarted = Fleet.ofFile(1, file);
          RawClient client = restarted.rig(0).connect()) {
        assertEquals("banned", reason(client, "ann"), "as the promoted server knows");
        assertEquals("banned", reason(client, "bob"));
      }
    }
  }

  @Test
  void takesTheCommandsThatTheManualNames(@TempDir Path folder) throws Exception {
    String page = Files.readString(ManualPage.root().resolve("docs/fleet.md"));
    String acl =
        page.substring(page.indexOf("~rl:* "), page.indexOf("```", page.indexOf("~rl:* ")));
    List<String> user = new ArrayList<>(List.of("on", ">secret"));
    user.addAll(List.of(acl.strip().split("\\s+")));
    Path password = Files.writeString(folder.resolve("password"), "secret");
    try (RedisServer closed =
        RedisServer.on(RedisKind.INSTALLED.binary())
            .user("weir", user.toArray(String[]::new))
            .start()) {
      String login = ", username: weir, password-file: " + password + ", deadline";
      String file = file(Fleet.node(closed), "exact").replace(", deadline", login);
      try (Fleet fleet = Fleet.ofFile(2, file).deciding(1)) {
        ban(fleet.rig(0), "ann");
        awaitBanned(fleet.rig(1), "ann");
      }
    }
  }

  @Test
  void bansHoldOverAReloadAndAStoreThatLostThem() throws Exception {
    int port = FreePorts.next();
    String file = file("127.0.0.1:" + port, "local");
    try (RedisServer first = RedisServer.on(RedisKind.EMBEDDED.binary()).port(port).start();
        Fleet fleet = Fleet.ofFile(2, file).deciding(1)) {
      ban(fleet.rig(0), "ann");
      awaitBanned(fleet.rig(1), "ann");
      first.kill();
      for (Rig rig : fleet.rigs) {
        rig.publish(
            file.replace("decision: 127.0.0.1:0\n", "").replace("limit: 2/365d", "limit: 3/365d"));
      }
      try (RedisServer empty = RedisServer.on(RedisKind.EMBEDDED.binary()).port(port).start();
          RawClient here = fleet.rig(0).connect();
          RawClient there = fleet.rig(1).connect()) {
        ban(fleet.rig(1), "bob");
        awaitBanned(fleet.rig(0), "bob");
        assertEquals("banned", reason(here, "ann"));
        assertEquals("banned", reason(there, "ann"));
        assertEquals("1", empty.text("HLEN", "rl:{p000}:bans:shop"));
      }
    }
  }

  @Test
  void readsManyBansInCallsThatAreShortForTheStore() throws Exception {
    int bans = 1_000;
    List<String> call =
        new ArrayList<>(
            List.of("EVAL", new String(LuaScript.BANS.source(), StandardCharsets.UTF_8), "3"));
    call.addAll(List.of("rl:{p000}:bans:shop", "rl:{p000}:ban-changes:shop"));
    call.addAll(List.of("rl:{p000}:ban-ends:shop", "0", "0", "" + bans));
    for (int i = 0; i < bans; i++) {
      call.addAll(List.of(String.format("r:%016x", i + 1), "3600000", "1", "7200000", "0"));
    }
    try (RespClient store = redis.connect()) {
      store.call(call.toArray(String[]::new));
      store.call("CONFIG", "RESETSTAT");
      try (Fleet fleet = Fleet.ofFile(1, file(Fleet.node(redis), "local")).deciding(1)) {
        fleet.rig(0).await("weir_bans_learned_total", bans);
        String calls =
            store
                .text("INFO", "commandstats")
                .replaceAll("(?s).*zrangebyscore:calls=(\\d+),.*", "$1");
        assertTrue(Integer.parseInt(calls) > 10, calls + " calls for " + bans + " bans");
      }
    }
  }

  @Test
  void refusalsByAShareWhileTheStoreIsAwayDoNotCount() throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port());
        Fleet away = Fleet.ofFile(1, file("127.0.0.1:" + faults.port(), "exact")).deciding(1);
        RawClient client = away.rig(0).connect()) {
      faults.refuse();
      away.rig(0).await(StoreRig.DECIDING, 0);
      for (int i = 0; i < 12; i++) {
        assertEquals(i < 2 ? "" : "over_limit", reason(client, "ann"), "request " + i);
      }
    }
  }

  @Test
  void twoSidecarsThatBanAtOnceMakeOneBan() throws Exception {
    try (Fleet fleet = Fleet.ofFile(2, file(Fleet.node(redis), "local")).deciding(1)) {
      ban(fleet.rig(0), "ann");
      ban(fleet.rig(1), "ann");
      try (RespClient store = redis.connect()) {
        Await.until(
            "one of them has told", () -> (Long) store.call("EXISTS", "rl:{p000}:bans:shop") == 1);
        List<?> bans = (List<?>) store.call("HVALS", "rl:{p000}:bans:shop");
        assertEquals(1, bans.size());
        assertEquals(
            "1", RespClient.textOf(bans.get(0)).split(" ")[1], "the first, not the second");
      }
    }
  }
}
