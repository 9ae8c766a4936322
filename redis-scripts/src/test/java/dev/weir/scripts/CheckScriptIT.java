package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The script on a real server, beside the Java library. */
class CheckScriptIT extends ScriptServer {
  private record Expected(int status, long granted, long remaining, long resetAt, long retry) {}

  @ParameterizedTest
  @EnumSource
  void decidesAsTheJavaLibraryOverRandomSteps(Algorithm algorithm) throws Exception {
    if (algorithm == Algorithm.SLIDING_LOG) {
      // Cells of refunded units hold their times, and the library lets what is charged by an
      // earlier
      // clock into such a cell leave no earlier; the script forgets them. So one at a time.
      decidesAsTheJavaLibrary(algorithm, false, true);
      decidesAsTheJavaLibrary(algorithm, true, false);
    } else {
      decidesAsTheJavaLibrary(algorithm, true, true);
    }
  }

  private static void decidesAsTheJavaLibrary(
      Algorithm algorithm, boolean refunds, boolean stepsBack) throws Exception {
    final int perCall = 100;
    final int keyCount = 6;
    final Random random = new Random(4);
    final LimitTable table = new LimitTable(1024, 64);
    final long[] limits = new long[keyCount];
    java.util.Arrays.fill(limits, 10);
    final Decision out = new Decision();
    final CheckCall call = new CheckCall(100);
    final String[] keys = new String[perCall];
    final long[] times = new long[64];
    long latest = 1_000_000_000_000L;
    java.util.Arrays.fill(times, latest);
    try (RedisProcess.Client client = redis.connect()) {
      client.text("FLUSHALL");
      for (int round = 0; round < 1000; round++) {
        latest += random.nextInt(4) == 0 ? 0 : random.nextLong(WINDOW_US / 6);
        latest += random.nextInt(60) == 0 ? random.nextLong(4 * WINDOW_US) : 0;
        final long nowUs =
            stepsBack && random.nextInt(6) == 0 ? latest - random.nextLong(WINDOW_US / 4) : latest;
        final long now = nowUs * 1000;
        times[round & 63] = nowUs;
        call.clear();
        final List<Expected> expected = new ArrayList<>();
        final List<String> steps = new ArrayList<>();
        for (int step = 0; step < perCall; step++) {
          final int key = random.nextInt(keyCount);
          // Where the pace stays, the script keeps the TAT, and Java rounds the debt up to units.
          final boolean paced = algorithm == Algorithm.GCRA || algorithm == Algorithm.QUEUE;
          if (step == 0 && !paced && random.nextInt(10) == 0) {
            // From here on the key is asked for with another number; the script finds out itself.
            final long to = 6 + random.nextInt(8);
            table.changeLimit(key, algorithm.limit(limits[key]), algorithm.limit(to), now, out);
            limits[key] = to;
          }
          final Limit limit = algorithm.limit(limits[key]);
          final ScriptLimit script = algorithm.script(limits[key]);
          keys[step] = "rl:{p1}:" + key;
          final int choice = random.nextInt(100);
          final long units = 1 + random.nextInt(random.nextInt(8) == 0 ? 16 : 3);
          final long chargedUs = times[Math.max(round - random.nextInt(4), 0) & 63];
          if (choice < 3) {
            final boolean had = table.reset(key, now);
            call.reset(1);
            expected.add(new Expected(had ? 2 : 3, -1, -1, -1, -1));
            steps.add("reset " + key);
          } else if (refunds && choice < 15) {
            table.refund(key, limit, units, chargedUs * 1000, now);
            call.refund(units, chargedUs, script);
            table.peek(key, limit, 1, now, out);
            expected.add(new Expected(-1, -1, out.remaining(), out.resetAtNs(), -1));
            steps.add("refund " + key + " of " + units + " at " + chargedUs);
          } else if (choice < 30) {
            table.peek(key, limit, units, now, out);
            call.peek(1, units, script);
            expected.add(expected(out, out.allowed() ? 1 : 0));
            steps.add("peek " + key + " of " + units);
          } else if (choice < 45) {
            // So many requests of one unit: a queue admits each by the wait that it has itself.
            long granted = 0;
            if (algorithm == Algorithm.QUEUE) {
              while (granted < units && table.check(key, limit, 1, now, out)) {
                granted++;
              }
              if (granted > 0 && granted == units) {
                table.peek(key, limit, 1, now, out);
              }
            } else {
              granted = table.grantUpTo(key, limit, units, now, out);
            }
            call.check(units, 1, script);
            // What was granted in part is told when the next would pass; Java says 0.
            expected.add(
                new Expected(
                    granted > 0 ? 1 : 0,
                    granted,
                    out.remaining(),
                    out.resetAtNs(),
                    granted == 0 ? out.retryAfterNs() : -1));
            steps.add("grant " + key + " up to " + units);
          } else {
            table.check(key, limit, units, now, out);
            call.check(1, units, script);
            expected.add(expected(out, out.allowed() ? 1 : 0));
            steps.add("check " + key + " of " + units);
          }
        }
        final byte[] bytes = client.eval(TIMED, Long.toString(nowUs), call, keys);
        assertTrue(bytes.length > 100, () -> new String(bytes, StandardCharsets.UTF_8));
        final CheckReply reply = reply(bytes, perCall);
        for (int step = 0; step < perCall; step++) {
          compare(
              expected.get(step),
              reply,
              step,
              algorithm + " round " + round + " at " + nowUs + ": " + steps.get(step));
        }
      }
    }
  }

  private static Expected expected(Decision out, int status) {
    return new Expected(
        status, status, out.remaining(), out.resetAtNs(), out.allowed() ? 0 : out.retryAfterNs());
  }

  private static void compare(Expected expected, CheckReply reply, int step, String what) {
    if (expected.status >= 0 && expected.status != 2 && expected.status != 3) {
      assertEquals(expected.status, reply.status(step), what);
    }
    if (expected.granted >= 0) {
      assertEquals(expected.granted, reply.granted(step), what);
    }
    if (expected.remaining >= 0) {
      assertEquals(expected.remaining, reply.remaining(step), what);
      assertEquals(expected.resetAt, reply.resetAtUs(step) * 1000, what);
    }
    if (expected.retry >= 0) {
      final long retryUs = reply.retryAfterUs(step);
      // The library's wait may end within a microsecond, the script's at the next whole one.
      assertEquals(
          expected.retry == Decision.NEVER ? -1 : (expected.retry + 999) / 1000, retryUs, what);
    }
  }

  @ParameterizedTest
  @EnumSource
  void letsExactlyTenOfAHundredConnectionsPass(Algorithm algorithm) throws Exception {
    final int rounds = 10;
    // The queue waits half a window at most: five units before one, and so six in all.
    final long expected = algorithm == Algorithm.QUEUE ? 6 : 10;
    final ExecutorService threads = Executors.newFixedThreadPool(100);
    try (RedisProcess.Client client = redis.connect()) {
      client.text("FLUSHALL");
      final CountDownLatch begin = new CountDownLatch(1);
      final List<Future<long[]>> results = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        results.add(
            threads.submit(
                () -> {
                  final long[] granted = new long[rounds];
                  try (RedisProcess.Client own = redis.connect()) {
                    begin.await();
                    for (int round = 0; round < rounds; round++) {
                      final CheckCall call = new CheckCall(1);
                      call.check(1, 1, algorithm.script(10));
                      granted[round] =
                          reply(own.eval(SHIPPED, "0", call, "{p}" + round), 1).granted(0);
                    }
                  }
                  return granted;
                }));
      }
      begin.countDown();
      final long[] totals = new long[rounds];
      for (Future<long[]> result : results) {
        for (int round = 0; round < rounds; round++) {
          totals[round] += result.get()[round];
        }
      }
      for (int round = 0; round < rounds; round++) {
        assertEquals(expected, totals[round]);
        assertTrue(client.text("PTTL", "{p}" + round).matches(":[1-9][0-9]*"));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource
  void writesNothingWhenRefused(Algorithm algorithm) throws Exception {
    try (RedisProcess.Client client = redis.connect()) {
      client.text("FLUSHALL");
      final CheckCall call = new CheckCall(1);
      call.check(20, 1, algorithm.script(10));
      client.eval(TIMED, "1000000000000", call, "{p}");
      final String value = client.text("GET", "{p}");
      call.clear().check(1, 5, algorithm.script(10));
      assertEquals(0, reply(client.eval(TIMED, "1000000000001", call, "{p}"), 1).status(0));
      assertEquals(value, client.text("GET", "{p}"));
    }
  }

  @Test
  void chargesNoneOfSeveralLimitsWhenOneRefuses() throws Exception {
    try (RedisProcess.Client client = redis.connect()) {
      client.text("FLUSHALL");
      final CheckCall call = new CheckCall(2);
      call.check(1, 3, ScriptLimit.slidingLog(10, WINDOW_US));
      call.also(ScriptLimit.fixedWindow(2, WINDOW_US, 0));
      final CheckReply reply = reply(client.eval(SHIPPED, "0", call, "{p}a", "{p}b"), 1);
      assertEquals(CheckReply.REFUSED, reply.status(0));
      assertEquals(1, reply.limitIndex(0));
      assertEquals(CheckReply.NEVER, reply.retryAfterUs(0));
      assertEquals(":0", client.text("DBSIZE"));
    }
  }

  @Test
  void leavesForeignValuesAloneAndDecidesTheOthers() throws Exception {
    try (RedisProcess.Client client = redis.connect()) {
      client.text("FLUSHALL");
      client.text("SET", "{p}text", "hello");
      client.text("HSET", "{p}hash", "a", "b");
      final CheckCall call = new CheckCall(100);
      for (int i = 0; i < 3; i++) {
        call.check(1, 1, ScriptLimit.slidingCounter(5, WINDOW_US));
      }
      final CheckReply reply =
          reply(client.eval(SHIPPED, "0", call, "{p}text", "{p}hash", "{p}new"), 3);
      assertEquals(CheckReply.FOREIGN, reply.status(0));
      assertEquals(CheckReply.FOREIGN, reply.status(1));
      assertEquals(CheckReply.GRANTED, reply.status(2));
      assertEquals("hello", client.text("GET", "{p}text"));
      assertEquals("+hash", client.text("TYPE", "{p}hash"));
    }
  }

  @Test
  void keepsAFractionalRateWithoutDrift() throws Exception {
    try (RedisProcess.Client client = redis.connect()) {
      client.text("FLUSHALL");
      final CheckCall call = new CheckCall(100);
      long granted = 0;
      final long start = 1_700_000_000_000_000L;
      // Seven per second, asked for every 100 ms for 1,000 seconds.
      for (int step = 0; step < 10_000; step++) {
        call.clear().check(1, 1, ScriptLimit.paced(1, 7, 1_000_000));
        final CheckReply reply =
            reply(client.eval(TIMED, Long.toString(start + step * 1000L), call, "{p}"), 1);
        granted += reply.granted(0);
        assertTrue(granted <= 1 + step * 7 / 1000);
      }
      // The arrivals fall a millisecond apart, so each grant is late by less than that.
      assertTrue(granted >= 70 * 142 / 143, "granted " + granted);
    }
  }

  @Test
  void drainsAfterTheServersClockHasSteppedBack() throws Exception {
    for (Algorithm algorithm : Algorithm.values()) {
      try (RedisProcess.Client client = redis.connect()) {
        client.text("FLUSHALL");
        final long late = 1_700_000_000_000_000L;
        final CheckCall call = new CheckCall(1);
        call.check(10, 1, algorithm.script(10));
        client.eval(TIMED, Long.toString(late), call, "{p}");
        final long early = late - 100 * WINDOW_US;
        call.clear().check(1, 10, algorithm.script(10));
        final CheckReply back = reply(client.eval(TIMED, "" + early, call, "{p}"), 1);
        assertEquals(0, back.granted(0), algorithm.toString());
        final CheckReply after =
            reply(client.eval(TIMED, "" + (early + 3 * WINDOW_US), call, "{p}"), 1);
        assertEquals(1, after.granted(0), algorithm.toString());
      }
    }
  }

  @Test
  void isFoundByItsDigest() throws Exception {
    try (RedisProcess.Client client = redis.connect()) {
      assertEquals(LuaScript.CHECK.sha1(), client.text("SCRIPT", "LOAD", SHIPPED));
      client.text("SCRIPT", "FLUSH");
      assertTrue(
          client.text("EVALSHA", LuaScript.CHECK.sha1(), "1", "{p}", "").startsWith("-NOSCRIPT"));
    }
  }
}
