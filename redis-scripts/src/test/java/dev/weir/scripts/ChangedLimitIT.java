package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A key that is asked for under one limit after the other. The script and the library drain what is
 * above a new capacity differently (the script by the old limit, which loses nothing if that one is
 * asked again; the library by the new one, as it is told of the change). Both keep this: what has
 * been consumed counts under the new limit at once, and so no more than the rest is granted.
 */
class ChangedLimitIT extends ScriptServer {
  private static final int STEPS_PER_CALL = 4;
  private static final int CALLS = 10_000;

  /** Every algorithm in several sizes. */
  private static List<ScriptLimit> limits() {
    final List<ScriptLimit> limits = new ArrayList<>();
    for (long capacity : new long[] {4, 10, 25}) {
      for (long window : new long[] {WINDOW_US, 3 * WINDOW_US}) {
        limits.add(ScriptLimit.paced(capacity, 7, window));
        limits.add(ScriptLimit.fixedWindow(capacity, window, 7));
        limits.add(ScriptLimit.slidingCounter(capacity, window));
        limits.add(ScriptLimit.slidingLog(capacity, window));
        limits.add(ScriptLimit.bucketRing(capacity, window, 6));
      }
      limits.add(ScriptLimit.calendarWindow(capacity, ChronoUnit.HOURS, ZoneId.of("UTC")));
      limits.add(ScriptLimit.calendarWindow(capacity, ChronoUnit.DAYS, ZoneId.of("Europe/Berlin")));
    }
    return limits;
  }

  @Test
  void whatWasConsumedCountsUnderTheNewLimitAndNothingIsLost() throws Exception {
    final Random random = new Random(11);
    final List<ScriptLimit> limits = limits();
    final CheckCall call = new CheckCall(4 * STEPS_PER_CALL);
    final String[] keys = new String[4 * STEPS_PER_CALL];
    java.util.Arrays.fill(keys, "{p}");
    final ScriptLimit[] asked = new ScriptLimit[STEPS_PER_CALL];
    final long[] requests = new long[STEPS_PER_CALL];
    final long[] costs = new long[STEPS_PER_CALL];
    ScriptLimit writer = limits.get(0);
    long latest = 1_700_000_000_000_000L;
    int exact = 0;
    int exceeded = 0;
    int partial = 0;
    for (int round = 0; round < CALLS; round++) {
      latest += random.nextInt(4) == 0 ? 0 : random.nextLong(WINDOW_US / 4);
      latest += random.nextInt(60) == 0 ? random.nextLong(6 * WINDOW_US) : 0;
      final boolean back = random.nextInt(8) == 0;
      final boolean farBack = back && random.nextInt(20) == 0;
      final long nowUs =
          back ? latest - random.nextLong(farBack ? 90 * WINDOW_US : WINDOW_US / 4) : latest;
      latest = farBack ? nowUs : latest;
      // Who wrote the state last is known only from the reply, so the steps of one call keep to the
      // limit they began with: half of the calls change it once.
      final ScriptLimit to =
          random.nextBoolean() ? limits.get(random.nextInt(limits.size())) : writer;
      if (random.nextInt(4) == 0) {
        client.text("DEL", "{p}");
      }
      call.clear(nowUs);
      for (int i = 0; i < STEPS_PER_CALL; i++) {
        asked[i] = i == 0 ? writer : to;
        requests[i] = 1 + random.nextInt(3);
        costs[i] = 1 + random.nextInt(random.nextInt(6) == 0 ? 8 : 2);
        call.peek(1, 1, asked[i]);
        call.check(requests[i], costs[i], to);
        call.peek(1, 1, to);
        call.peek(1, 1, asked[i]);
      }
      final CheckReply reply = at(nowUs, call, keys);
      boolean wrote = false;
      for (int i = 0; i < STEPS_PER_CALL; i++) {
        final String what =
            String.format(
                "round %d step %d from %d to %d",
                round, i, limits.indexOf(writer), limits.indexOf(to));
        final long granted = reply.granted(4 * i + 1) * costs[i];
        // Where the writer's rest is 0, more may count than its capacity: the clock was back.
        final long rest = reply.remaining(4 * i);
        final ScriptLimit before = i > 0 && !wrote ? null : asked[i];
        if (before != null) {
          final long most = Math.max(to.capacity() - (before.capacity() - rest), 0);
          assertTrue(granted <= most, what + ": " + granted + " of " + most);
          if (rest > 0) {
            assertEquals(Math.min(requests[i], most / costs[i]), reply.granted(4 * i + 1), what);
            assertEquals(most - granted, reply.remaining(4 * i + 2), what);
            exact += i == 0 && to != writer ? 1 : 0;
          }
          exceeded += most == 0 && before != to ? 1 : 0;
          partial += granted > 0 && reply.granted(4 * i + 1) < requests[i] ? 1 : 0;
        }
        if (granted == 0) {
          assertEquals(rest, reply.remaining(4 * i + 3), what + ": refused");
        } else {
          assertTrue(reply.remaining(4 * i + 3) <= rest, what + ": issued anew");
        }
        wrote |= granted > 0;
      }
      writer = wrote ? to : writer;
    }
    assertTrue(
        exact > 500 && exceeded > 100 && partial > 500, exact + " " + exceeded + " " + partial);
  }

  @Test
  void waitsForTheOldLimitsUnitsToDrainAndLosesNoneIfThatOneIsAskedAgain() throws Exception {
    final long now = 1_700_000_000_000_000L;
    for (ScriptLimit from : limits()) {
      for (ScriptLimit to : limits()) {
        if (from.capacity() == 25 && to.capacity() == 4) {
          client.text("DEL", "{p}");
          final CheckCall call = new CheckCall(3).clear(now);
          call.check(20, 1, from);
          call.check(1, 1, to);
          call.peek(1, 1, from);
          final CheckReply reply = at(now, call, "{p}", "{p}", "{p}");
          assertEquals(0, reply.granted(1));
          assertEquals(5, reply.remaining(2));
          final long at = now + reply.retryAfterUs(1);
          call.clear(at - 1).peek(1, 1, to);
          assertEquals(0, at(at - 1, call, "{p}").granted(0));
          call.clear(at).check(1, 1, to);
          assertEquals(1, at(at, call, "{p}").granted(0));
        }
      }
    }
  }
}
