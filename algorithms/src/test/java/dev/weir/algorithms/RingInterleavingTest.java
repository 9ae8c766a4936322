package dev.weir.algorithms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Thousands of interleavings of checks and refunds on one key whose limit has a ring, some of whose
 * units leave at that moment. Whatever the order: no more pass than there is room for, nobody is
 * refused who had room until the end, and in the end exactly what passed counts.
 */
class RingInterleavingTest {
  private static final int SCHEDULES = 6_000;
  private static final int SLOTS = 4;
  private static final int CELLS = 8;
  private static final int CAPACITY = 5;
  private static final long KEY = 17;
  private static final long SECOND = 1_000_000_000L;
  private static final long WIDTH = SECOND;
  private static final int SUB_WINDOWS = 4;
  private static final long WINDOW = SUB_WINDOWS * WIDTH;

  /** The start of a sub-window. */
  private static final long NOW = 1_000 * WINDOW;

  private enum Kind {
    LOG(Limit.slidingLog(CAPACITY, WINDOW)),
    RING(Limit.bucketRing(CAPACITY, WINDOW, SUB_WINDOWS));

    final Limit limit;

    Kind(Limit limit) {
      this.limit = limit;
    }

    /** Whether a unit charged at one time counts at a later one. */
    boolean counts(long chargedNs, long atNs) {
      return this == LOG
          ? chargedNs + WINDOW > atNs
          : chargedNs / WIDTH + SUB_WINDOWS > atNs / WIDTH;
    }
  }

  /** The steps of one thread, and their results. */
  private static final class Task implements Runnable {
    private final LimitTable table;
    private final Limit limit;
    private final long nowNs;
    private final int[] costs;
    private final boolean givesBack;
    private final List<Integer> refusedCosts = new ArrayList<>();
    private int passed;
    private int givenBack;

    Task(LimitTable table, Limit limit, long nowNs, SplittableRandom random) {
      this.table = table;
      this.limit = limit;
      this.nowNs = nowNs;
      costs = random.ints(1 + random.nextInt(3), 1, 4).toArray();
      givesBack = random.nextInt(5) == 0;
    }

    @Override
    public String toString() {
      return "at %+d costs %s, refused %s%s"
          .formatted(nowNs - NOW, Arrays.toString(costs), refusedCosts, givesBack ? ", back" : "");
    }

    @Override
    public void run() {
      final Decision out = new Decision();
      for (int cost : costs) {
        if (table.check(KEY, limit, cost, nowNs, out)) {
          passed += cost;
        } else {
          refusedCosts.add(cost);
        }
        assertFalse(out.contended() || out.shared());
      }
      if (givesBack && passed > 0 && table.refund(KEY, limit, passed, nowNs, nowNs)) {
        givenBack = passed;
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void whatPassesCountsAndNothingElse(Kind kind) {
    final long seed = Long.getLong("weir.seed", 1);
    for (int schedule = 0; schedule < SCHEDULES; schedule++) {
      explore(kind, seed + schedule, "weir.seed=" + (seed + schedule));
    }
  }

  private static void explore(Kind kind, long seed, String where) {
    final SplittableRandom random = new SplittableRandom(seed);
    final Interleaver.Memory slots = new Interleaver.Memory(SLOTS * SlotLayout.SLOT_BYTES);
    final Interleaver.Memory cells = new Interleaver.Memory(SLOTS * CELLS * Long.BYTES);
    final LimitTable table = slots.table(cells);
    final List<Long> earlier = charge(table, kind, random);
    final Task[] tasks = new Task[2 + random.nextInt(2)];
    // Before and after the edge at which units leave; half of the time one clock for all.
    final long nowNs = NOW - 1 + random.nextInt(3);
    final boolean skewed = random.nextBoolean();
    for (int i = 0; i < tasks.length; i++) {
      final long taskNs = skewed ? NOW - 1 + random.nextInt(3) : nowNs;
      tasks[i] = new Task(table, kind.limit, taskNs, random);
    }
    final Interleaver interleaver = new Interleaver(seed, tasks);
    slots.interleaver(interleaver);
    cells.interleaver(interleaver);
    interleaver.run();
    slots.interleaver(null);
    cells.interleaver(null);
    final String told =
        "%s; earlier %s; %s"
            .formatted(
                where, earlier.stream().map(at -> at - NOW).toList(), Arrays.toString(tasks));
    judge(table, kind, earlier, tasks, skewed, told);
  }

  /** Charges now and then over the last windows. */
  private static List<Long> charge(LimitTable table, Kind kind, SplittableRandom random) {
    final List<Long> earlier = new ArrayList<>();
    final Decision out = new Decision();
    long timeNs = NOW - (1 + random.nextInt(3)) * WINDOW - random.nextInt(2);
    for (int i = random.nextInt(12); i > 0 && timeNs < NOW; i--) {
      if (table.check(KEY, kind.limit, 1, timeNs, out)) {
        earlier.add(timeNs);
      }
      timeNs += random.nextInt(3) * random.nextLong(WIDTH) + random.nextInt(3);
    }
    return earlier;
  }

  private static void judge(
      LimitTable table, Kind kind, List<Long> earlier, Task[] tasks, boolean skewed, String where) {
    int kept = 0;
    boolean refunds = false;
    long latestNs = 0;
    for (Task task : tasks) {
      kept += task.passed - task.givenBack;
      refunds |= task.givenBack > 0;
      latestNs = Math.max(latestNs, task.nowNs);
    }
    final long endNs = NOW + 1;
    final Decision out = new Decision();
    table.peek(KEY, kind.limit, 1, endNs, out);
    final long current = out.current();
    final int counting = counting(kind, earlier, endNs) + kept;
    assertTrue(counting <= CAPACITY, where);
    if (skewed && kind == Kind.LOG) {
      // What a caller with a clock that lags gives back may be an older unit than its own.
      assertTrue(current >= counting, where + ": " + current + " count");
    } else {
      assertEquals(counting, current, where);
    }
    for (Task task : tasks) {
      // A clock that lags behind another caller's may see units that have just left.
      final boolean lags = kind == Kind.LOG && task.nowNs < latestNs;
      for (int cost : refunds || lags ? List.<Integer>of() : task.refusedCosts) {
        assertTrue(
            counting(kind, earlier, task.nowNs) + kept + cost > CAPACITY,
            where + ": refused " + cost);
      }
    }
    assertEquals(Math.max(CAPACITY - current, 0), out.remaining(), where);
    leavesWhole(table, kind, out, where);
  }

  /** Once all of it has left, only what was charged since counts, which has moved the window on. */
  private static void leavesWhole(LimitTable table, Kind kind, Decision out, String where) {
    long later = 0;
    for (int step = 1; step < SUB_WINDOWS; step++) {
      later += Grants.upTo(table, KEY, kind.limit, 1, NOW + 1 + step * WIDTH, out);
    }
    table.peek(KEY, kind.limit, 1, NOW + 1 + WINDOW, out);
    assertEquals(later, out.current(), where);
  }

  private static int counting(Kind kind, List<Long> chargedNs, long atNs) {
    return (int) chargedNs.stream().filter(charged -> kind.counts(charged, atNs)).count();
  }
}
