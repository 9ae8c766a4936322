package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.RespClient;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The short way of {@code short_way.lua} beside the one that everything else takes. */
class ShortWayIT extends ScriptServer {
  private static final String SHORT_WAY = "op = byte(input, at)";
  private static final String CONTENTS =
      "local all = '' for _, key in ipairs(KEYS) do local type = redis.call('TYPE', key).ok"
          + " all = all .. type .. (type == 'string' and redis.call('GET', key) or '') .. ';'"
          + " end return all";
  private static final int KEYS = 5;
  private static final int CALLS = 8_000;
  private static final int MAX_CHECKS = 6;

  private final Random random = new Random(21);
  private final ScriptLimit[] limits = {
    ScriptLimit.paced(10, 10, WINDOW_US),
    ScriptLimit.paced(4, 10, WINDOW_US),
    ScriptLimit.paced(25, 7, WINDOW_US),
    ScriptLimit.paced(1, 1, WINDOW_US),
    ScriptLimit.paced(5, 3, 7),
    ScriptLimit.paced(1L << 40, 1_000_000, 1_000_000),
    ScriptLimit.paced(25, 7, WINDOW_US).leased(10_000_000),
    ScriptLimit.paced(40, 40, WINDOW_US).leased(5_000_000),
    ScriptLimit.paced(1L << 40, 1_000_000, 1_000_000).leased(1_000),
    ScriptLimit.fixedWindow(12, WINDOW_US, 7),
    ScriptLimit.fixedWindow(40, WINDOW_US, 7),
    ScriptLimit.fixedWindow(40, WINDOW_US / 16, 0),
  };

  /** A refund's data of an earlier call. */
  private record Granted(long atUs, long lifeUs, long mark) {}

  private Granted latestGrant = new Granted(0, 0, CheckCall.NO_MARK);

  private final CheckCall call = new CheckCall(MAX_CHECKS);

  @Test
  void decidesAndStoresAsTheLongWayOverRandomSteps() throws Exception {
    final String longWay = TIMED.replace(SHORT_WAY, "op = 0");
    assertNotEquals(TIMED, longWay);
    final int[] statuses = new int[5];
    long latest = 1_700_000_000_000_000L;
    for (int round = 0; round < CALLS; round++) {
      latest += random.nextLong(random.nextBoolean() ? WINDOW_US / 8 : WINDOW_US / 256);
      latest -= random.nextInt(80) == 0 ? random.nextLong(90 * WINDOW_US) : 0;
      final long nowUs = random.nextInt(8) == 0 ? latest - random.nextLong(WINDOW_US / 4) : latest;
      if (random.nextInt(10) == 0) {
        disturb(random.nextInt(KEYS));
      }
      final int checks = random.nextInt(3) == 0 ? 1 : 1 + random.nextInt(MAX_CHECKS);
      final String[] shorts = new String[checks];
      final String[] longs = new String[checks];
      call.clear();
      for (int i = 0; i < checks; i++) {
        final int key = random.nextInt(KEYS);
        shorts[i] = "{p}short" + key;
        longs[i] = "{p}long" + key;
        ask(limits[random.nextInt(3) > 0 ? 2 * key + 1 : random.nextInt(limits.length)]);
      }
      final byte[] expected = client.eval(longWay, Long.toString(nowUs), call, longs);
      final byte[] actual = client.eval(TIMED, Long.toString(nowUs), call, shorts);
      assertArrayEquals(expected, actual, "round " + round);
      for (int i = 0; i < checks; i++) {
        statuses[reply(actual, call).status(i)]++;
      }
      if (random.nextInt(3) == 0) {
        final CheckReply reply = reply(actual, call);
        final boolean isLease = call.leaseCount() > 0 && random.nextInt(3) > 0;
        latestGrant =
            new Granted(
                nowUs,
                isLease ? reply.lifeUs(0) : 0,
                isLease ? reply.keptMark(0, 0) : CheckCall.NO_MARK);
      }
      assertEquals(contents("{p}long"), contents("{p}short"), "round " + round);
    }
    assertTrue(
        statuses[CheckReply.GRANTED] > 1000
            && statuses[CheckReply.REFUSED] > 1000
            && statuses[CheckReply.DONE] > 500
            && statuses[CheckReply.NOTHING] > 1000
            && statuses[CheckReply.FOREIGN] > 500,
        Arrays.toString(statuses));
  }

  private void ask(ScriptLimit limit) {
    final int choice = random.nextInt(10);
    if (choice < 5) {
      call.check(1 + random.nextInt(4), 1 + random.nextInt(6), limit);
    } else if (choice < 8) {
      final long lifeUs = 1 + random.nextInt(12_000_000);
      call.lease(random.nextInt(4), random.nextInt(20), lifeUs, 1 + random.nextInt(3), limit);
    } else {
      call.refund(
          1 + random.nextInt(8), latestGrant.atUs, latestGrant.lifeUs, limit, latestGrant.mark);
    }
  }

  /** Puts the same under the key of both ways: nothing, what is not ours, another limit's state. */
  private void disturb(int key) throws Exception {
    final int choice = random.nextInt(24);
    for (String name : new String[] {"{p}short" + key, "{p}long" + key}) {
      client.text("DEL", name);
      switch (choice) {
        case 0 -> client.text("SET", name, "hello");
        case 1 -> client.text("HSET", name, "a", "b");
        case 2 -> client.send(bytes("SET"), bytes(name), paced(1_700_000_000_000_000.5, 0));
        case 3 -> client.send(bytes("SET"), bytes(name), paced(1_700_000_000_000_000.0, -1));
        case 4 -> {
          final CheckCall other = new CheckCall(1);
          other.check(2, 1, ScriptLimit.slidingCounter(10, WINDOW_US));
          at(1_700_000_000_000_000L, other, name);
        }
        case 5 -> {
          final CheckCall counted = new CheckCall(1);
          counted.lease(1, 4, 1_000, 1, limits[key].leased(1_000));
          at(1_700_000_000_000_000L, counted, name);
        }
        default -> {}
      }
    }
  }

  /** A value of the first limit's pace, with times that the script never writes. */
  private static byte[] paced(double tat, double ticks) {
    return ByteBuffer.allocate(41)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) 'P')
        .putDouble(tat)
        .putDouble(ticks)
        .putDouble(1)
        .putDouble(WINDOW_US / 10)
        .putDouble(10)
        .array();
  }

  private static byte[] bytes(String text) {
    return RespClient.bytes(text);
  }

  /** The type of every key, and the value of a string. */
  private String contents(String prefix) throws Exception {
    final byte[][] parts = new byte[3 + KEYS][];
    parts[0] = bytes("EVAL");
    parts[1] = bytes(CONTENTS);
    parts[2] = bytes(Integer.toString(KEYS));
    for (int key = 0; key < KEYS; key++) {
      parts[3 + key] = bytes(prefix + key);
    }
    return new String(client.send(parts), StandardCharsets.ISO_8859_1);
  }
}
