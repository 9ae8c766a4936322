package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import dev.weir.scripts.server.RespError;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The script by which sidecars count each other, on a real server, beside that of an earlier
 * version.
 */
class BeatScriptIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final String BEAT = new String(LuaScript.BEAT.source(), StandardCharsets.UTF_8);

  /** The heartbeat of an earlier version, with the first two keys. */
  private static final String PEERS = LuaScript.read("peers.lua");

  private static final String ORDER = "rl:{p000}:order:s";
  private static final List<String> KEYS = List.of("rl:{p000}:peers:s", "rl:{p000}:rules:s", ORDER);
  private static final String LIFE_MS = "60000";
  private static final long SEED = Long.getLong("weir.seed", 1);

  private RespClient client;

  @BeforeEach
  void connect() throws Exception {
    redis.text("FLUSHALL");
    client = redis.connect();
  }

  @AfterEach
  void close() throws Exception {
    client.close();
  }

  private List<?> call(String script, int keys, String... arguments) throws Exception {
    List<String> call = new ArrayList<>(List.of("EVAL", script, "" + keys));
    call.addAll(KEYS.subList(0, keys));
    call.addAll(List.of(arguments));
    return (List<?>) client.call(call.toArray(String[]::new));
  }

  private List<?> beat(String id, String lifeMs, long place) throws Exception {
    return call(BEAT, 3, id, lifeMs, "digest", "" + place);
  }

  private List<?> beat(String id) throws Exception {
    return beat(id, LIFE_MS, 0);
  }

  private List<?> peers(String id, String lifeMs) throws Exception {
    return call(PEERS, 2, id, lifeMs, "digest");
  }

  private static String id(int number) {
    return String.format("%012x-5f1e6e2c-7d0a-4cc5-8a7e-0123456789ab", number);
  }

  private long ordered() throws Exception {
    return (Long) client.call("ZCARD", ORDER);
  }

  @Test
  void countsSidecarsOfAnEarlierVersionAndIsCountedByThem() throws Exception {
    assertEquals(List.of(1L, 1L, 0L), beat(id(5)));
    assertEquals(List.of(2L, 1L, 0L), peers(id(3), LIFE_MS));
    assertEquals(List.of(2L, 1L, 1L), beat(id(5)));
    assertEquals(List.of(3L, 1L, 2L), peers(id(7), LIFE_MS));
    assertEquals(List.of(4L, 1L, 2L), beat(id(6)));
    assertEquals(List.of(3L, 1L, 0L), peers(id(3), "0"));
    assertEquals(List.of(3L, 1L, 0L), beat(id(5)));
    assertEquals(List.of(2L, 1L, 0L), beat(id(5), "0", 0));
    assertEquals(List.of(2L, 1L, 1L), peers(id(7), LIFE_MS));
    assertEquals(List.of(2L, 1L, 0L), beat(id(6)));
  }

  /** Numbers alone do not tell: one that has gone and one that has come. */
  @Test
  void learnsItsPlaceAsOneOfAnEarlierVersionGoesWhileItComes() throws Exception {
    peers(id(1), LIFE_MS);
    assertEquals(List.of(2L, 1L, 1L), beat(id(5)));
    peers(id(1), "0");
    assertEquals(List.of(2L, 1L, 1L), beat(id(6)));
    assertEquals(List.of(2L, 1L, 0L), beat(id(5)));
  }

  @Test
  void knowsItsPlaceWhoeverComesAndGoes() throws Exception {
    Random random = new Random(SEED);
    TreeSet<String> live = new TreeSet<>();
    for (int step = 0; step < 600; step++) {
      String id = id(random.nextInt(64));
      boolean leaves = random.nextInt(4) == 0;
      List<?> reply = beat(id, leaves ? "0" : LIFE_MS, random.nextInt(70));
      if (leaves) {
        live.remove(id);
      } else {
        live.add(id);
      }
      assertEquals(
          List.of((long) live.size(), reply.get(1), (long) live.headSet(id).size()),
          reply,
          "step " + step + ", seed " + SEED);
    }
    assertTrue(live.size() > 10);
  }

  @Test
  void forgetsWhoHasNotBeatenAndReadsTheOrderAnew() throws Exception {
    beat(id(1), "1", 0);
    Await.until("forgotten", () -> beat(id(2)).equals(List.of(1L, 1L, 0L)));
    assertEquals(1, ordered());
    long lifeMs = (Long) client.call("PTTL", ORDER);
    assertTrue(lifeMs > 0 && lifeMs <= 60_000, lifeMs + " ms");
    beat(id(3));
    client.call("DEL", ORDER);
    assertEquals(List.of(2L, 1L, 1L), beat(id(3)));
    assertEquals(2, ordered());
  }

  @Test
  void readsTheSidecarsNeitherToCountNorToFindItsPlace() throws Exception {
    List<Integer> ids = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      ids.add(i);
    }
    Collections.shuffle(ids, new Random(SEED));
    for (int i : ids) {
      client.send(request(id(i), "0"));
    }
    for (int i = 0; i < ids.size(); i++) {
      assertTrue(client.read() instanceof List);
    }
    List<String> known = commandsOf(() -> assertEquals(List.of(2500L, 1L, 2000L), at(2000, 2000)));
    assertEquals(1, known.stream().filter(line -> line.contains(ORDER + "\" \"2000\"")).count());
    List<String> searched = commandsOf(() -> assertEquals(List.of(2500L, 1L, 2000L), at(2000, 1)));
    List<String> joining = commandsOf(() -> assertEquals(2500L, at(2500, 2500).get(2)));
    for (List<String> each : List.of(known, searched, joining)) {
      assertTrue(each.size() <= 11 + 13, each.toString());
      assertTrue(each.stream().noneMatch(line -> line.contains("\"-1\"")), each.toString());
    }
    assertTrue(known.size() <= 11, known.toString());
  }

  private List<?> at(int number, long place) throws Exception {
    return beat(id(number), LIFE_MS, place);
  }

  private static byte[][] request(String id, String place) {
    List<byte[]> call = new ArrayList<>();
    for (String part : List.of("EVAL", BEAT, "3")) {
      call.add(RespClient.bytes(part));
    }
    KEYS.forEach(key -> call.add(RespClient.bytes(key)));
    for (String part : List.of(id, LIFE_MS, "digest", place)) {
      call.add(RespClient.bytes(part));
    }
    return call.toArray(byte[][]::new);
  }

  private interface Step {
    void run() throws Exception;
  }

  /** The commands that scripts have run meanwhile. */
  private List<String> commandsOf(Step step) throws Exception {
    List<String> lines = new ArrayList<>();
    try (RespClient monitor = redis.connect()) {
      assertEquals("OK", monitor.call("MONITOR"));
      step.run();
      client.call("ECHO", "the end");
      for (String line = ""; !line.contains("the end"); line = monitor.read().toString()) {
        if (line.contains(" lua] ")) {
          lines.add(line.substring(0, Math.min(line.length(), 90)));
        }
      }
    }
    return lines;
  }

  @Test
  void countsForAUserWhoMayNotReadTheOrder() throws Exception {
    client.call("ACL", "SETUSER", "beats", "on", "nopass", "~rl:*", "+@all", "-zrange");
    try {
      beat(id(1));
      client.call("AUTH", "beats", "");
      assertEquals(List.of(2L, 1L, -1L), beat(id(2)));
      assertEquals(List.of(1L, 1L, -1L), beat(id(2), "0", 0));
      assertTrue(client.call("ZRANGE", ORDER, "0", "0") instanceof RespError);
    } finally {
      redis.text("ACL", "DELUSER", "beats");
    }
  }
}
