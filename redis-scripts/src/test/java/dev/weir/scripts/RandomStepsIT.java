package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random steps, equal in the script and in the library: 100 per call, on six keys. */
class RandomStepsIT extends ScriptServer {
  private static final int STEPS_PER_CALL = 100;
  private static final int CALLS = 1_000;
  private static final int KEYS = 6;

  private final Random random = new Random(4);
  private final Decision out = new Decision();
  private final CheckCall call = new CheckCall(STEPS_PER_CALL + 10);
  private final List<Expected> expected = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();
  private final Algorithm[] algorithms = new Algorithm[KEYS];
  private final long[] capacities = new long[KEYS];
  private final int[] hours = new int[KEYS];
  private final long[] times = new long[64];

  /** The library's answer to a check; a number of -2 is not compared. */
  private record Expected(String step, long granted, long remaining, long resetAt, long retry) {}

  @ParameterizedTest
  @EnumSource
  void oneAlgorithmWhoseCapacityChanges(Algorithm algorithm) throws Exception {
    if (algorithm == Algorithm.SLIDING_LOG || algorithm == Algorithm.SLIDING_COUNTER) {
      // With the clock back after a refund they count the same, but not until the same time: the
      // library keeps the times of a log's refunded units, and a counter's window as the last
      // charge
      // left it; the script forgets the times, and has gone on to the window of the refund. So one
      // at a time.
      run(algorithm, false, false, true);
      run(algorithm, false, true, false);
    } else {
      run(algorithm, false, true, true);
    }
  }

  @Test
  void everyAlgorithmAndWindowAfterTheOther() throws Exception {
    run(Algorithm.GCRA, true, false, true);
    run(Algorithm.GCRA, true, true, false);
  }

  private void run(Algorithm first, boolean mixed, boolean refunds, boolean stepsBack)
      throws Exception {
    client.text("FLUSHALL");
    Arrays.fill(algorithms, first);
    Arrays.fill(capacities, 10);
    Arrays.fill(hours, 1);
    long latest = 1_000_000_000_000L;
    Arrays.fill(times, latest);
    try (LimitTable table = new LimitTable(1024, 64)) {
      for (int round = 0; round < randomSteps(CALLS); round++) {
        latest += random.nextInt(4) == 0 ? 0 : random.nextLong(WINDOW_US / 6);
        latest += random.nextInt(60) == 0 ? random.nextLong(4 * WINDOW_US) : 0;
        final long nowUs =
            stepsBack && random.nextInt(6) == 0 ? latest - random.nextLong(WINDOW_US / 4) : latest;
        times[round & 63] = nowUs;
        call.clear();
        expected.clear();
        keys.clear();
        // With the clock back, more than its capacity may count of a paced limit: the library cuts
        // that off at a change, and the script does not (see ChangedLimitIT).
        if (nowUs == latest && random.nextInt(mixed ? 3 : 10) == 0) {
          change(table, random.nextInt(KEYS), mixed, nowUs * 1000);
        }
        for (int step = 0; step < STEPS_PER_CALL; step++) {
          final int key = random.nextInt(KEYS);
          final long chargedUs = times[Math.max(round - random.nextInt(4), 0) & 63];
          step(table, key, refunds, refundable(key, chargedUs, latest), nowUs * 1000);
        }
        final CheckReply reply = at(nowUs, call, keys.toArray(new String[0]));
        for (int i = 0; i < expected.size(); i++) {
          compare(expected.get(i), reply, i, "round " + round + " at " + nowUs + ": ");
        }
      }
    }
  }

  /**
   * The library is told of a change, and charges what counts anew if the windows are others. The
   * script finds out itself and has the same units left; but it does not write before it grants, so
   * it is made to.
   */
  private void change(LimitTable table, int key, boolean mixed, long now) {
    final Algorithm from = algorithms[key];
    final int hoursBefore = hours[key];
    final Limit before = from.limit(capacities[key], hoursBefore);
    if (mixed) {
      algorithms[key] = Algorithm.values()[random.nextInt(Algorithm.values().length)];
      hours[key] = 1 + random.nextInt(3);
    }
    capacities[key] = 6 + random.nextInt(8);
    final Limit limit = algorithms[key].limit(capacities[key], hours[key]);
    final ScriptLimit script = algorithms[key].script(capacities[key], hours[key]);
    table.changeLimit(key, before, limit, now);
    table.peek(key, limit, 1, now, out);
    final String step = from + " to " + algorithms[key];
    call.peek(1, 1, script);
    keys.add("{p}" + key);
    final boolean paced = algorithms[key] == Algorithm.GCRA || algorithms[key] == Algorithm.QUEUE;
    if (!paced && from == algorithms[key] && hoursBefore == hours[key]) {
      expected.add(expected(step, out.allowed() ? 1 : 0));
      return;
    }
    // What a queue has left depends on the wait, which the rounding to units may have changed.
    final long remaining = algorithms[key] == Algorithm.QUEUE ? -2 : out.remaining();
    expected.add(new Expected(step, -2, remaining, -2, -2));
    call.reset(1);
    keys.add("{p}" + key);
    expected.add(new Expected(step, -2, -2, -2, -2));
    if (out.current() > 0) {
      call.check(1, out.current(), script);
      keys.add("{p}" + key);
      expected.add(new Expected(step, 1, -2, out.resetAtNs(), -2));
    }
  }

  /**
   * When a charge was made that both give back the same of: the library's ring takes back what is
   * in the newest sub-window, the script's what is in any.
   */
  private long refundable(int key, long chargedUs, long latestUs) {
    final long widthUs = hours[key] * WINDOW_US / 10;
    final boolean isEarlier = chargedUs / widthUs < latestUs / widthUs;
    return algorithms[key] == Algorithm.BUCKET_RING && isEarlier ? latestUs : chargedUs;
  }

  private void step(LimitTable table, int key, boolean refunds, long chargedUs, long now) {
    final Limit limit = algorithms[key].limit(capacities[key], hours[key]);
    final ScriptLimit script = algorithms[key].script(capacities[key], hours[key]);
    keys.add("{p}" + key);
    final int choice = random.nextInt(100);
    final long units = 1 + random.nextInt(random.nextInt(8) == 0 ? 16 : 3);
    final String step = algorithms[key] + " " + key + " of " + units + ", choice " + choice;
    if (choice < 3) {
      table.reset(key, now);
      call.reset(1);
      expected.add(new Expected(step, -2, -2, -2, -2));
    } else if (refunds && choice < 15) {
      table.refund(key, limit, units, chargedUs * 1000, now);
      call.refund(units, chargedUs, script);
      table.peek(key, limit, 1, now, out);
      expected.add(new Expected(step, -2, out.remaining(), out.resetAtNs(), -2));
    } else if (choice < 30) {
      table.peek(key, limit, units, now, out);
      call.peek(1, units, script);
      expected.add(expected(step, out.allowed() ? 1 : 0));
    } else if (choice < 45) {
      long granted = 0;
      while (granted < units && table.check(key, limit, 1, now, out)) {
        granted++;
      }
      if (granted == units) {
        table.peek(key, limit, 1, now, out);
      }
      call.check(units, 1, script);
      final long retry = granted == units ? 0 : out.retryAfterNs();
      expected.add(new Expected(step, granted, out.remaining(), out.resetAtNs(), retry));
    } else {
      table.check(key, limit, units, now, out);
      call.check(1, units, script);
      expected.add(expected(step, out.allowed() ? 1 : 0));
    }
  }

  private Expected expected(String step, long granted) {
    final long retry = granted > 0 ? 0 : out.retryAfterNs();
    return new Expected(step, granted, out.remaining(), out.resetAtNs(), retry);
  }

  private static void compare(Expected expected, CheckReply reply, int index, String when) {
    final String what = when + expected.step;
    if (expected.granted >= 0) {
      assertEquals(expected.granted, reply.granted(index), what);
    }
    if (expected.remaining >= 0) {
      assertEquals(expected.remaining, reply.remaining(index), what);
    }
    if (expected.resetAt >= 0) {
      assertEquals(expected.resetAt, reply.resetAtUs(index) * 1000, what);
    }
    if (expected.retry >= 0) {
      // The library's wait may end within a microsecond, the script's at the next whole one.
      final long retryUs = (expected.retry + 999) / 1000;
      assertEquals(
          expected.retry == Decision.NEVER ? CheckReply.NEVER : retryUs,
          reply.retryAfterUs(index),
          what);
    }
  }
}
