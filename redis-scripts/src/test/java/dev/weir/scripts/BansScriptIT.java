package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The script by which sidecars exchange bans, on a real server. */
class BansScriptIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final String SCRIPT = new String(LuaScript.BANS.source(), StandardCharsets.UTF_8);
  private static final List<String> KEYS =
      List.of("rl:{p000}:bans:s", "rl:{p000}:ban-changes:s", "rl:{p000}:ban-ends:s");
  private static final long HOUR_MS = 3_600_000;

  /** The number of fields of each ban in a reply. */
  private static final int FIELDS = 4;

  private RespClient client;
  private int most = 100;
  private int mostKept = 1000;

  /** How long ago that was which is told. */
  private long agoMs;

  @BeforeEach
  void connect() throws Exception {
    redis.text("FLUSHALL");
    client = redis.connect();
  }

  @AfterEach
  void close() throws Exception {
    client.close();
  }

  /** One sidecar: what it has learned, as name to number and rounded hours left. */
  private final class Sidecar {
    private String known = "0";
    private final TreeMap<String, String> learned = new TreeMap<>();
    private final TreeMap<String, Long> kept = new TreeMap<>();

    /** Returns how many bans it was told of. */
    int call(Object... told) throws Exception {
      List<String> call = new ArrayList<>(List.of("EVAL", SCRIPT, "3"));
      call.addAll(KEYS);
      call.addAll(List.of(known, "" + most, "" + mostKept));
      for (int i = 0; i < told.length; i++) {
        call.add(told[i].toString());
        if (i % FIELDS == FIELDS - 1) {
          call.add("" + agoMs);
        }
      }
      List<?> reply = (List<?>) client.call(call.toArray(String[]::new));
      known = RespClient.textOf(reply.get(0));
      for (int i = 1; i < reply.size(); i += FIELDS) {
        String ban = reply.get(i + 2) + " " + hours(reply.get(i + 1));
        learned.put(RespClient.textOf(reply.get(i)), ban);
        kept.put(RespClient.textOf(reply.get(i)), hours(reply.get(i + 3)));
      }
      return (reply.size() - 1) / FIELDS;
    }
  }

  private static long hours(Object ms) {
    return Math.round((Long) ms / (double) HOUR_MS);
  }

  @Test
  void tellsEachSidecarWhatWasToldSinceItAskedLast() throws Exception {
    Sidecar one = new Sidecar();
    Sidecar other = new Sidecar();
    assertEquals(0, one.call());
    assertEquals(2, one.call("r:a", HOUR_MS, 1, 2 * HOUR_MS, "r:b", 3 * HOUR_MS, 2, 9 * HOUR_MS));
    assertEquals(0, one.call());
    assertEquals(2, other.call());
    assertEquals("{r:a=1 1, r:b=2 3}", other.learned.toString());
    assertEquals("{r:a=2, r:b=9}", other.kept.toString(), "and when each is forgotten");
    assertEquals(1, other.call("r:c", HOUR_MS, 1, HOUR_MS));
    assertEquals(1, one.call());
    assertEquals("[r:a, r:b, r:c]", one.learned.keySet().toString());
  }

  @Test
  void whatIsToldTwiceOrByTwoIsOneBan() throws Exception {
    Sidecar one = new Sidecar();
    one.call("r:a", HOUR_MS, 1, 9 * HOUR_MS);
    assertEquals(0, one.call("r:a", HOUR_MS + 900, 1, 9 * HOUR_MS), "a late repeat");
    assertEquals(0, one.call("r:a", 1000, 1, 9 * HOUR_MS), "one that ends earlier");
    assertEquals(1, one.call("r:a", 1000, 2, 9 * HOUR_MS));
    assertEquals("{r:a=2 1}", one.learned.toString(), "the later end, the higher number");
    assertEquals(1, one.call("r:a", 5 * HOUR_MS, 1, 9 * HOUR_MS));
    assertEquals("{r:a=2 5}", one.learned.toString());
  }

  @Test
  void anEndedBanIsToldAndANewOneIsTheFirst() throws Exception {
    Sidecar one = new Sidecar();
    Sidecar other = new Sidecar();
    one.call("r:a", HOUR_MS, 7, 9 * HOUR_MS);
    other.call();
    agoMs = -1; // the server's clock may not have moved
    one.call("r:a", 0, 0, HOUR_MS);
    assertEquals(1, other.call());
    assertEquals("{r:a=0 0}", other.learned.toString());
    agoMs = -2;
    other.call("r:a", 2 * HOUR_MS, 1, 9 * HOUR_MS);
    one.call();
    assertEquals("{r:a=1 2}", one.learned.toString());
  }

  @Test
  void ofABanAndAnEndTheLaterOneStaysAlsoIfItWasToldFirst() throws Exception {
    Sidecar one = new Sidecar();
    one.call("r:a", HOUR_MS, 3, 9 * HOUR_MS);
    agoMs = 2 * HOUR_MS;
    assertEquals(0, one.call("r:a", 0, 0, HOUR_MS), "an end before the ban");
    agoMs = -1;
    assertEquals(1, one.call("r:a", 0, 0, HOUR_MS), "an end after the ban");
    agoMs = HOUR_MS;
    assertEquals(0, one.call("r:a", HOUR_MS, 1, 9 * HOUR_MS), "a ban before the end");
    Sidecar other = new Sidecar();
    other.call();
    assertEquals("{r:a=0 0}", other.learned.toString());
    assertEquals("{r:a=9}", other.kept.toString(), "kept for as long as the ban would be");
  }

  @Test
  void anEndOfWhatNobodyToldOfIsNotKept() throws Exception {
    Sidecar one = new Sidecar();
    assertEquals(0, one.call("r:a", 0, 0, HOUR_MS));
    assertEquals(0L, client.call("EXISTS", KEYS.get(0)));
  }

  @Test
  void tellsAllInPagesAndAnewAfterItHasLostSome() throws Exception {
    Sidecar one = new Sidecar();
    for (int i = 0; i < 10; i++) {
      one.call("r:" + i, HOUR_MS, 1, HOUR_MS);
    }
    most = 4;
    Sidecar other = new Sidecar();
    assertEquals(4, other.call());
    assertEquals(4, other.call());
    assertEquals(2, other.call());
    assertEquals(one.learned, other.learned);
    redis.text("FLUSHALL");
    most = 100;
    assertEquals(0, other.call());
    assertEquals("0", other.known);
    one.call("r:new", HOUR_MS, 1, HOUR_MS);
    assertEquals(1, other.call());
  }

  @Test
  void keepsSoManyAndDropsThoseThatAreForgottenFirst() throws Exception {
    mostKept = 3;
    Sidecar one = new Sidecar();
    for (int i = 1; i <= 5; i++) {
      one.call("r:" + i, HOUR_MS, 1, i == 2 ? 9 * HOUR_MS : i * HOUR_MS);
    }
    Sidecar other = new Sidecar();
    assertEquals(3, other.call());
    assertEquals("[r:2, r:4, r:5]", other.learned.keySet().toString());
    for (String key : KEYS) {
      long count = (Long) client.call(key.contains(":bans:") ? "HLEN" : "ZCARD", key);
      assertEquals(3, count, key);
      long lifeMs = (Long) client.call("PTTL", key);
      assertTrue(lifeMs > 8 * HOUR_MS && lifeMs <= 9 * HOUR_MS, key + " " + lifeMs);
    }
  }

  @Test
  void forgetsWhatIsForgottenWithTheNextBan() throws Exception {
    Sidecar one = new Sidecar();
    one.call("r:a", -5, 1, 1);
    Await.until(
        "only the new ban is there",
        () -> {
          one.call("r:b", HOUR_MS, 1, HOUR_MS);
          return (Long) client.call("HLEN", KEYS.get(0)) == 1;
        });
  }
}
