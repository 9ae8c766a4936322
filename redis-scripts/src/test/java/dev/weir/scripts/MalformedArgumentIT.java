package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.RespClient;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes that no CheckCall would write. */
class MalformedArgumentIT extends ScriptServer {
  private static final double NONE = Double.NaN;
  private static final double FRACTION = 1.5;
  private static final double LARGE = 9007199254740992.0;
  private static final double INFINITE = Double.POSITIVE_INFINITY;

  /** A good check of two keys first: it must not be charged either. */
  private static ByteBuffer begun() {
    final CheckCall good = new CheckCall(2);
    good.check(1, 1, ScriptLimit.slidingLog(10, WINDOW_US));
    good.check(1, 1, ScriptLimit.paced(10, 10, WINDOW_US));
    return ByteBuffer.allocate(1000)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(good.array(), 0, good.length());
  }

  private static ByteBuffer head(int op, int limits, double requests, double chargedAt) {
    return begun().put((byte) op).put((byte) limits).putDouble(requests).putDouble(chargedAt);
  }

  private static ByteBuffer limit(int kind, double a, double b, double c, double d) {
    return limit(head(1, 1, 1, 0), kind, a, b, c, d, 1);
  }

  private static ByteBuffer limit(
      ByteBuffer to, int kind, double a, double b, double c, double d, double cost) {
    return to.put((byte) kind).putDouble(a).putDouble(b).putDouble(c).putDouble(d).putDouble(cost);
  }

  private static ByteBuffer cost(double requests, double cost) {
    return limit(head(1, 1, requests, 0), 1, 1, 1, 1, -1, cost);
  }

  private String refused(String expected, ByteBuffer argument, String... keys) throws Exception {
    final byte[] bytes = Arrays.copyOf(argument.array(), argument.position());
    final List<byte[]> parts = new ArrayList<>();
    for (String part : new String[] {"EVAL", SHIPPED, Integer.toString(keys.length)}) {
      parts.add(RespClient.bytes(part));
    }
    for (String key : keys) {
      parts.add(RespClient.bytes(key));
    }
    parts.add(bytes);
    final String reply =
        new String(client.send(parts.toArray(new byte[0][])), StandardCharsets.ISO_8859_1);
    assertTrue(reply.startsWith("-ERR check: " + expected), reply);
    assertEquals("0", client.text("DBSIZE"), expected);
    return reply;
  }

  @Test
  void namesWhatIsWrongAndTouchesNothing() throws Exception {
    final String[] three = {"{p}1", "{p}2", "{p}3"};
    final ByteBuffer whole = limit(1, 1, 1, 1, -1);
    refused("keys: 2 (expected: 3)", whole, "{p}1", "{p}2");
    refused("keys: 4 (expected: 3)", whole, "{p}1", "{p}2", "{p}3", "{p}4");
    refused("keys: 0 (expected: 1 to 1000)", whole);
    for (int length = begun().position() + 1; length < whole.position(); length++) {
      final ByteBuffer cut = limit(1, 1, 1, 1, -1).position(length);
      refused("argument: " + length + " bytes, cut off", cut, three);
    }
    refused("op: 0 (expected: 1 to 8)", head(0, 1, 1, 0), three);
    refused("op: 9 (expected: 1 to 8)", head(9, 1, 1, 0), three);
    refused("limits: 0 (expected: 1 to 8)", head(1, 0, 1, 0), three);
    refused("limits: 9 (expected: 1 to 8)", head(1, 9, 1, 0), three);
    refused("kind: 8 (expected: 1 to 7)", limit(8, 1, 1, 1, 0), three);
    refused("kind: 0 (expected: 1 to 7)", limit(0, 1, 1, 1, 0), three);
    for (double bad : new double[] {NONE, FRACTION, LARGE, INFINITE, 0, -1}) {
      refused("requests: ", head(1, 1, bad, 0), three);
      refused("cost: ", cost(1, bad), three);
      if (bad != 0) {
        refused("requests: ", head(4, 1, 1, bad), three);
      }
    }
    refused("cost: ", cost(1L << 27, 1L << 27), three);
    refused("requests: ", head(5, 1, 2, 0), three);
    final ByteBuffer twice = limit(limit(head(1, 2, 1, 0), 1, 1, 1, 1, -1, 1), 1, 1, 1, 1, -1, 1);
    refused("keys of one check: the same twice", twice, "{p}1", "{p}2", "{p}3", "{p}3");
    assertEquals(
        "$" + CheckReply.length(3),
        "$" + client.eval(SHIPPED, "0", sent(), three).length,
        "the argument that was cut is a good one");
  }

  @Test
  void namesWhatIsWrongWithALeaseOrItsRefund() throws Exception {
    final String[] three = {"{p}1", "{p}2", "{p}3"};
    final long longest = ScriptLimit.MAX_LIFE_US;
    for (double bad : new double[] {NONE, FRACTION, LARGE, INFINITE, -1, longest + 1}) {
      refused("life: ", leased(7, 1, 1, bad), three);
      refused("life: ", leased(4, 1, 1, bad), three);
      if (bad <= longest) {
        refused("requests: ", leased(7, bad, 1, 1), three);
        refused("requests: ", leased(7, 1, bad, 1), three);
      }
      if (bad != longest + 1 && bad != -1) {
        refused("mark: ", leased(4, 1, 1, 1).putDouble(bad), three);
      }
    }
    refused("life: ", leased(7, 1, 1, 0), three);
    refused("life: ", leased(7, 1, 1L << 40, 1 << 13), three);
    refused("mark: ", leased(4, 1, 1, 1).putDouble(1L << 40), three);
    refused("mark: ", leased(4, 1, 1, 1).putDouble(-2), three);
    final ByteBuffer costly = limit(head(7, 1, 1, 1L << 27).putDouble(1), 1, 1, 1, 1, -2, 1L << 27);
    refused("cost: ", costly, three);
    refused(
        "limit of a lease: a queue", limit(head(7, 1, 1, 1).putDouble(1), 1, 1, 1, 1, 0, 1), three);
    for (int op : new int[] {4, 7}) {
      final ByteBuffer whole = op == 4 ? leased(op, 1, 1, 1).putDouble(1) : leased(op, 1, 1, 1);
      for (int length = begun().position() + 1; length < whole.position(); length++) {
        refused(
            "argument: " + length + " bytes, cut off",
            ByteBuffer.wrap(whole.array()).position(length),
            three);
      }
    }
  }

  @Test
  void namesWhatIsWrongWithAHold() throws Exception {
    final String[] four = {"{p}1", "{p}2", "{p}3", "{p}3!held"};
    for (double bad : new double[] {NONE, FRACTION, LARGE, INFINITE, -1}) {
      refused("requests: ", held(bad, 0, 1, 1, 1, 1, 0, 0), four);
      refused("requests: ", held(1, bad, 1, 1, 1, 1, 0, 0), four);
      refused("life: ", held(1, 0, bad, 1, 1, 1, 0, 0), four);
      refused("life: ", held(1, 0, 1, bad, 1, 1, 0, 0), four);
      refused("cost: ", held(1, 0, 1, 1, bad, 1, 0, 0), four);
      refused("how: ", held(1, 0, 1, 1, 1, 1, bad, 0), four);
      refused("how: ", held(1, 0, 1, 1, 1, 1, 0, bad), four);
    }
    refused("life: ", held(1, 0, 0, 1, 1, 1, 0, 0), four);
    refused("life: ", held(1, 0, ScriptLimit.MAX_LIFE_US + 1, 1, 1, 1, 0, 0), four);
    refused("life: ", held(1, 0, 1, 0, 1, 1, 0, 0), four);
    refused("cost: ", held(1L << 27, 0, 1, 1, 1L << 27, 1, 0, 0), four);
    refused("cost: ", held(0, 1L << 27, 1, 1, 1L << 27, 1, 0, 0), four);
    refused("how: 3", held(1, 0, 1, 1, 1, 3, 0, 0), four);
    refused("how: 2", held(1, 0, 1, 1, 1, 2, 1, 0), four);
    refused("how: 2", held(1, 0, 1, 1, 1, 2, 0, 1), four);
    refused("how: 0", held(1, 0, 1, 1, 1, 0, 1, 0), four);
    refused("limits that hold: 0", held(1, 0, 1, 1, 1, 0, 0, 0), four);
    refused("limit of a hold: a queue", holding(1, 1, 1, 1, 0), four);
    refused("keys: 3 (expected: 4)", held(1, 0, 1, 1, 1, 1, 0, 0), "{p}1", "{p}2", "{p}3");
    refused(
        "keys of one check: the same twice",
        held(1, 0, 1, 1, 1, 1, 0, 0),
        "{p}1",
        "{p}2",
        "{p}3",
        "{p}3");
    final ByteBuffer whole = held(1, 0, 1, 1, 1, 1, 0, 0);
    for (int length = begun().position() + 1; length < whole.position(); length++) {
      refused(
          "argument: " + length + " bytes, cut off",
          ByteBuffer.wrap(whole.array()).position(length),
          four);
    }
  }

  @Test
  void takesConcurrencyInAHoldOrAPeekAlone() throws Exception {
    final String[] four = {"{p}1", "{p}2", "{p}3", "{p}3!held"};
    final double[][] bad = {
      {7, 0, 0, 0, 0},
      {7, FRACTION, 0, 0, 0},
      {7, LARGE, 0, 0, 0},
      {7, 1, 1, 0, 0},
      {7, 1, 0, 1, 0},
      {7, 1, 0, 0, NONE}
    };
    for (double[] limit : bad) {
      refused("limit of kind 7: ", holding(7, limit[1], limit[2], limit[3], limit[4]), four);
    }
    for (int op : new int[] {1, 2, 5, 6}) {
      refused("concurrency: not held", limit(head(op, 1, 1, 0), 7, 1, 0, 0, 0, 1), four);
    }
    refused("concurrency: not held", limit(head(4, 1, 1, 0).putDouble(0), 7, 1, 0, 0, 0, 1), four);
    refused("concurrency: not held", limit(head(7, 1, 1, 0).putDouble(1), 7, 1, 0, 0, 0, 1), four);
    refused("limits that hold: 2", limit(head(2, 1, 1, 2), 7, 1, 0, 0, 0, 1), four);
    refused("limit that holds: a queue", limit(head(2, 1, 1, 1), 1, 1, 1, 1, 0, 1), four);
  }

  /** A hold of one limit. */
  private static ByteBuffer held(
      double requests,
      double keeps,
      double life,
      double sequence,
      double reserve,
      int how,
      double units,
      double charged) {
    final ByteBuffer head =
        head(8, 1, requests, keeps).putDouble(life).putLong(7).putDouble(sequence);
    return limit(head, 1, 1, 1, 1, -1, reserve).put((byte) how).putDouble(units).putDouble(charged);
  }

  private static ByteBuffer holding(int kind, double a, double b, double c, double d) {
    final ByteBuffer head = head(8, 1, 1, 0).putDouble(1).putLong(7).putDouble(1);
    return limit(head, kind, a, b, c, d, 1).put((byte) 1).putDouble(0).putDouble(0);
  }

  /** A lease, or a refund up to its mark. */
  private static ByteBuffer leased(int op, double requests, double keeps, double life) {
    return limit(head(op, 1, requests, keeps).putDouble(life), 1, 1, 1, 1, -2, 1);
  }

  private static CheckCall sent() {
    final CheckCall call = new CheckCall(3);
    for (int i = 0; i < 3; i++) {
      call.check(1, 1, ScriptLimit.paced(1, 1, 1));
    }
    return call;
  }

  @Test
  void refusesLimitsWhoseNumbersAreOutOfRange() throws Exception {
    final double[][] good = {
      {1, 5, 7, 10, -1}, {2, 10, 100, 99, 0}, {3, 10, 100, 0, 0},
      {4, 10, 100, 0, 0}, {5, 10, 100, 2, 0}, {6, 10, 1, 2, 3}
    };
    for (double[] limit : good) {
      // The last number means something in a queue and a calendar alone.
      final int numbers = limit[0] == 1 || limit[0] == 6 ? 4 : limit[0] == 3 ? 2 : 3;
      for (int i = 1; i <= numbers; i++) {
        for (double bad : new double[] {NONE, FRACTION, LARGE, INFINITE, -2 * LARGE}) {
          final double[] changed = limit.clone();
          changed[i] = bad;
          refused(
              "limit of kind " + (int) limit[0] + ": ",
              limit((int) limit[0], changed[1], changed[2], changed[3], changed[4]),
              "{p}1",
              "{p}2",
              "{p}3");
        }
      }
    }
    final double half = 1L << 52;
    final double[][] together = {
      {1, 1, 1, half, -1},
      {1, 1, half, 1, -1},
      {1, 1, 1, 1, -2 - ScriptLimit.MAX_LIFE_US},
      {2, 1, 5, 5, 0},
      {2, 1, half, 0, 0},
      {3, 1L << 27, 1L << 26, 0, 0},
      {4, 4097, 1, 0, 0},
      {4, 1, 1, 2, 0},
      {5, 1, 1, 1, 0},
      {5, 1, 1, 4097, 0},
      {5, 1, 1L << 51, 2, 0},
      {6, 1, 2, 2, 3},
      {6, 1, 1, 3, 2}
    };
    for (double[] bad : together) {
      refused(
          "limit of kind " + (int) bad[0] + ": ",
          limit((int) bad[0], bad[1], bad[2], bad[3], bad[4]),
          "{p}1",
          "{p}2",
          "{p}3");
    }
  }

  @Test
  void takesTheLargestNumbersThatTheEncoderSends() throws Exception {
    final long window = ScriptLimit.MAX_WINDOW_US;
    final ScriptLimit[] limits = {
      ScriptLimit.paced((1L << 52) - 1, 1, 1),
      ScriptLimit.paced(1, 1, (1L << 52) - 1),
      ScriptLimit.queue(1, 1, 1, (1L << 53) - 1),
      ScriptLimit.fixedWindow((1L << 53) - 1, window, window - 1),
      ScriptLimit.slidingCounter(3, window),
      ScriptLimit.slidingLog(4096, window),
      ScriptLimit.bucketRing((1L << 53) - 1, window, 4096)
    };
    final CheckCall call = new CheckCall(1);
    for (ScriptLimit limit : limits) {
      client.text("FLUSHALL");
      for (int left = 2; left > 0; left--) {
        call.clear().check(1, Math.max(limit.capacity() / 2, 1), limit);
        final CheckReply reply = reply(client.eval(SHIPPED, "0", call, "{p}"), 1);
        assertTrue(reply.status(0) <= CheckReply.GRANTED, "status " + reply.status(0));
        assertTrue(limit.capacity() == 1 || reply.granted(0) == 1);
      }
      assertTrue(Long.parseLong(client.text("PTTL", "{p}")) != -1);
    }
  }
}
