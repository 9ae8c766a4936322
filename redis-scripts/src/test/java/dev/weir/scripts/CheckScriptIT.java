package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.RespClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The script on a real server, beside the Java library. */
class CheckScriptIT extends ScriptServer {
  @ParameterizedTest
  @EnumSource
  void letsExactlyTenOfAHundredConnectionsPass(Algorithm algorithm) throws Exception {
    final int rounds = 10;
    // The queue waits half a window at most: five units before one, and so six in all.
    final long expected = algorithm == Algorithm.QUEUE ? 6 : 10;
    // The server's own clock decides: its window must not end meanwhile.
    final long nowUs = System.currentTimeMillis() * 1000;
    final ScriptLimit limit =
        algorithm == Algorithm.FIXED_WINDOW
            ? ScriptLimit.fixedWindow(10, WINDOW_US, (nowUs + WINDOW_US / 2) % WINDOW_US)
            : algorithm.script(10);
    final ExecutorService threads = Executors.newFixedThreadPool(100);
    try (ScriptClient client = new ScriptClient(redis)) {
      client.text("FLUSHALL");
      final CountDownLatch begin = new CountDownLatch(1);
      final List<Future<long[]>> results = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        results.add(
            threads.submit(
                () -> {
                  final long[] granted = new long[rounds];
                  try (ScriptClient own = new ScriptClient(redis)) {
                    begin.await();
                    for (int round = 0; round < rounds; round++) {
                      final CheckCall call = new CheckCall(1);
                      call.check(1, 1, limit);
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
        assertTrue(client.text("PTTL", "{p}" + round).matches("[1-9][0-9]*"));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource
  void writesNothingWhenRefused(Algorithm algorithm) throws Exception {
    try (ScriptClient client = new ScriptClient(redis)) {
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
    try (ScriptClient client = new ScriptClient(redis)) {
      client.text("FLUSHALL");
      final CheckCall call = new CheckCall(2);
      call.check(1, 3, ScriptLimit.slidingLog(10, WINDOW_US));
      call.also(ScriptLimit.fixedWindow(2, WINDOW_US, 0), 3);
      final CheckReply reply = reply(client.eval(SHIPPED, "0", call, "{p}a", "{p}b"), 1);
      assertEquals(CheckReply.REFUSED, reply.status(0));
      assertEquals(1, reply.limitIndex(0));
      assertEquals(CheckReply.NEVER, reply.retryAfterUs(0));
      assertEquals("0", client.text("DBSIZE"));
    }
  }

  @Test
  void leavesForeignValuesAloneAndDecidesTheOthers() throws Exception {
    try (ScriptClient client = new ScriptClient(redis)) {
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
      assertEquals("hash", client.text("TYPE", "{p}hash"));
    }
  }

  @Test
  void keepsAFractionalRateWithoutDrift() throws Exception {
    try (ScriptClient client = new ScriptClient(redis)) {
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
      try (ScriptClient client = new ScriptClient(redis)) {
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
  void decidesAThousandKeysInOneCall() throws Exception {
    final CheckCall call = new CheckCall(CheckCall.MAX_KEYS);
    final String[] keys = new String[CheckCall.MAX_KEYS];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = "{p}" + i;
      call.check(1, 1, Algorithm.values()[i % 6].script(10));
    }
    final CheckReply reply = reply(client.eval(SHIPPED, "0", call, keys), keys.length);
    for (int i = 0; i < keys.length; i++) {
      assertEquals(1, reply.granted(i));
    }
    assertEquals("1000", client.text("DBSIZE"));
  }

  @Test
  void chargesNoneOfACallWhenTheServerHasNoMemoryLeft() throws Exception {
    final CheckCall call = new CheckCall(3);
    for (int i = 0; i < 3; i++) {
      call.check(1, 1, ScriptLimit.slidingLog(5, WINDOW_US));
    }
    client.text("CONFIG", "SET", "maxmemory", "1");
    try {
      final byte[] error = client.eval(SHIPPED, "0", call, "{p}1", "{p}2", "{p}3");
      final String text = new String(error, StandardCharsets.UTF_8);
      assertTrue(text.startsWith("-") && text.contains("OOM"), text);
    } finally {
      client.text("CONFIG", "SET", "maxmemory", "0");
    }
    assertEquals("0", client.text("DBSIZE"));
  }

  @Test
  void deletesWhatIsOursAloneWhenResetAndWritesNothingForAPeek() throws Exception {
    final CheckCall call = new CheckCall(3);
    call.peek(1, 1, ScriptLimit.slidingLog(5, WINDOW_US));
    reply(client.eval(SHIPPED, "0", call, "{p}peek"), 1);
    assertEquals("0", client.text("DBSIZE"));
    client.text("SET", "{p}text", "hello");
    client.text("HSET", "{p}hash", "a", "b");
    call.clear().check(1, 1, ScriptLimit.slidingLog(5, WINDOW_US));
    reply(client.eval(SHIPPED, "0", call, "{p}ours"), 1);
    call.clear().reset(1);
    call.reset(1);
    call.reset(1);
    final CheckReply reply =
        reply(client.eval(SHIPPED, "0", call, "{p}text", "{p}hash", "{p}ours"), 3);
    assertEquals(CheckReply.FOREIGN, reply.status(0));
    assertEquals(CheckReply.FOREIGN, reply.status(1));
    assertEquals(CheckReply.DONE, reply.status(2));
    assertEquals("2", client.text("DBSIZE"));
    call.clear().reset(2);
    final CheckReply mixed = reply(client.eval(SHIPPED, "0", call, "{p}none", "{p}text"), 1);
    assertEquals(CheckReply.FOREIGN, mixed.status(0));
    assertEquals(1, mixed.limitIndex(0));
  }

  @Test
  void isFoundByItsDigest() throws Exception {
    try (ScriptClient client = new ScriptClient(redis)) {
      assertEquals(LuaScript.CHECK.sha1(), client.text("SCRIPT", "LOAD", SHIPPED));
      client.text("SCRIPT", "FLUSH");
      final byte[] answer =
          client.send(
              RespClient.bytes("EVALSHA"),
              RespClient.bytes(LuaScript.CHECK.sha1()),
              RespClient.bytes("1"),
              RespClient.bytes("{p}"),
              RespClient.bytes(""));
      assertTrue(new String(answer, StandardCharsets.UTF_8).startsWith("-NOSCRIPT"));
    }
  }
}
