package dev.weir.scripts;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;

/**
 * A limit as the script reads it: validated and encoded once, then copied into each call. Times are
 * in microseconds. What a double could not count exactly is refused when it is made. Immutable; any
 * thread.
 *
 * <pre>
 * byte    0      1       9       17      25      33
 *         | kind | a     | b     | c     | d     |     doubles, little-endian; see check.lua
 * </pre>
 */
public final class ScriptLimit {
  /** Units of a sliding log, and sub-windows of a ring. */
  public static final int MAX_RUNS = 4096;

  static final int BYTES = 33;

  private static final int PACED = 1;
  private static final int FIXED_WINDOW = 2;
  private static final int SLIDING_COUNTER = 3;
  private static final int SLIDING_LOG = 4;
  private static final int BUCKET_RING = 5;
  private static final int CALENDAR = 6;
  private static final int CONCURRENCY = 7;
  private static final int FORMER = 64;
  private static final long NO_QUEUE = -1;

  /** The longest that units may be kept: 2^24 - 1, 16 seconds. */
  public static final long MAX_LIFE_US = (1L << 24) - 1;

  /** The longest window, 71 years: now and four of them stay below 2^53. */
  public static final long MAX_WINDOW_US = 1L << 51;

  private static final long MINUTE_US = 60_000_000L;

  private final long capacity;
  private final CalendarEdges calendar;

  /** The encoding used last: a benign race, as each is immutable and found anew by any thread. */
  private volatile Encoding encoding;

  /**
   * The pace of a paced limit: so many units come back per so many microseconds, in lowest terms;
   * else 0.
   */
  private final long pacedUnits;

  private final long pacedPeriodUs;

  private final boolean queue;
  private final boolean isConcurrency;
  private final boolean marked;
  private final long countsUs;
  private final ScriptLimit[] alone = {this};
  private final boolean isFormer;

  /** This limit under a former name: a benign race, as any of them would do. */
  private volatile ScriptLimit former;

  private ScriptLimit(int kind, long capacity, long a, long b, long c, long d) {
    this.capacity = capacity;
    pacedUnits = kind == PACED ? a : 0;
    pacedPeriodUs = kind == PACED ? b : 0;
    queue = kind == PACED && d >= 0;
    isConcurrency = kind == CONCURRENCY;
    marked = kind == PACED && d < NO_QUEUE;
    countsUs =
        switch (kind) {
          case SLIDING_COUNTER -> 2 * b;
          case BUCKET_RING -> b * c;
          default -> b;
        };
    calendar = null;
    isFormer = false;
    encoding = new Encoding(Long.MIN_VALUE, Long.MAX_VALUE, encode(kind, a, b, c, d));
  }

  private ScriptLimit(long limit, CalendarEdges calendar) {
    capacity = limit;
    pacedUnits = 0;
    pacedPeriodUs = 0;
    queue = false;
    isConcurrency = false;
    marked = false;
    countsUs = calendar.longestUs();
    this.calendar = calendar;
    isFormer = false;
    encoding = new Encoding(0, 0, new byte[0]);
  }

  private ScriptLimit(ScriptLimit of) {
    capacity = of.capacity;
    pacedUnits = of.pacedUnits;
    pacedPeriodUs = of.pacedPeriodUs;
    queue = of.queue;
    isConcurrency = of.isConcurrency;
    marked = of.marked;
    countsUs = of.countsUs;
    calendar = of.calendar;
    isFormer = true;
    encoding = of.encoding;
  }

  /**
   * This limit, of a key that is a former name of the limit before it in a check. Both are charged,
   * and as long as the limit's own key has no value, what the former name has counts. So sidecars
   * that know one of the names only share the budget with those that know both. The same object
   * each time.
   */
  public ScriptLimit former() {
    if (former == null) {
      former = new ScriptLimit(this);
    }
    return former;
  }

  /** The limits of a check that has this one only; the same array each time, not to be changed. */
  public ScriptLimit[] alone() {
    return alone;
  }

  /** The bytes, for calls at a caller's time before {@code untilUs}. */
  private record Encoding(long fromUs, long untilUs, byte[] bytes) {}

  private static byte[] encode(int kind, long a, long b, long c, long d) {
    return ByteBuffer.allocate(BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put((byte) kind)
        .putDouble(a)
        .putDouble(b)
        .putDouble(c)
        .putDouble(d)
        .array();
  }

  /**
   * This limit, whose units may be kept. All questions about a paced one are to be asked with that:
   * its value in the store counts what is granted, so that what comes back later is known not to
   * have come back with time (of one asked for otherwise, less comes back). Values of other kinds
   * are as they were, and so are those limits.
   *
   * @param longestLifeUs for how long at most, from 1 to {@link #MAX_LIFE_US}; a lease that is
   *     asked for longer is shortened.
   * @throws IllegalArgumentException if it is a queue, whose places belong to a request each.
   */
  public ScriptLimit leased(long longestLifeUs) {
    Exact.range("longestLifeUs", longestLifeUs, 1, MAX_LIFE_US);
    if (queue) {
      throw new IllegalArgumentException("limit: a queue (expected: one whose units can be kept)");
    }
    return isPaced()
        ? new ScriptLimit(
            PACED, capacity, pacedUnits, pacedPeriodUs, capacity, NO_QUEUE - longestLifeUs)
        : this;
  }

  /** GCRA, token bucket and leaky bucket as a meter: {@code units} per {@code periodUs} return. */
  public static ScriptLimit paced(long capacity, long units, long periodUs) {
    return pacedOrQueue(capacity, units, periodUs, NO_QUEUE);
  }

  /**
   * Leaky bucket as a queue: see {@link CheckReply#waitUs}.
   *
   * @param maxWaitUs 0 or more; who would have to wait longer is refused.
   */
  public static ScriptLimit queue(long capacity, long units, long periodUs, long maxWaitUs) {
    Exact.range("maxWaitUs", maxWaitUs, 0, Exact.MAX);
    return pacedOrQueue(capacity, units, periodUs, maxWaitUs);
  }

  private static ScriptLimit pacedOrQueue(long capacity, long units, long periodUs, long maxWait) {
    Exact.range("capacity", capacity, 1, Exact.MAX);
    Exact.range("units", units, 1, Exact.MAX);
    Exact.range("periodUs", periodUs, 1, Exact.MAX);
    final long divisor = gcd(units, periodUs);
    final long unitsReduced = units / divisor;
    final long periodReduced = periodUs / divisor;
    Exact.bounded("capacity", capacity, (Exact.MAX - unitsReduced) / 2 / periodReduced);
    return new ScriptLimit(PACED, capacity, unitsReduced, periodReduced, capacity, maxWait);
  }

  /**
   * @param epochUs a start of a window in Unix time, 0 or more.
   */
  public static ScriptLimit fixedWindow(long limit, long windowUs, long epochUs) {
    window(limit, windowUs);
    Exact.range("epochUs", epochUs, 0, Exact.MAX);
    return new ScriptLimit(FIXED_WINDOW, limit, limit, windowUs, epochUs % windowUs, 0);
  }

  /**
   * @param limit {@code limit * windowUs} is below 2^53: at most 104,249 per day.
   */
  public static ScriptLimit slidingCounter(long limit, long windowUs) {
    window(limit, windowUs);
    Exact.bounded("limit", limit, Exact.MAX / windowUs);
    return new ScriptLimit(SLIDING_COUNTER, limit, limit, windowUs, 0, 0);
  }

  /**
   * The server reads the whole log for each check, besides memory: a whole batch of full logs holds
   * it up for long.
   *
   * @param limit at most {@link #MAX_RUNS}, as each unit may take 16 bytes.
   */
  public static ScriptLimit slidingLog(long limit, long windowUs) {
    window(limit, windowUs);
    Exact.range("limit", limit, 1, MAX_RUNS);
    return new ScriptLimit(SLIDING_LOG, limit, limit, windowUs, 0, 0);
  }

  /**
   * @param subWindows from 2 to {@link #MAX_RUNS}; divides {@code windowUs}.
   */
  public static ScriptLimit bucketRing(long limit, long windowUs, int subWindows) {
    window(limit, windowUs);
    Exact.range("subWindows", subWindows, 2, MAX_RUNS);
    if (windowUs % subWindows != 0) {
      throw new IllegalArgumentException(
          "subWindows: " + subWindows + " (expected: a divisor of " + windowUs + " us)");
    }
    return new ScriptLimit(BUCKET_RING, limit, limit, windowUs / subWindows, subWindows, 0);
  }

  /**
   * The minutes, hours, days, weeks (from Monday) or months of a zone. The server cannot know them,
   * so the call carries the edges around the caller's time ({@link CheckCall#clear(long)}), and the
   * server's own time says which window it is. A caller whose clock is off by less than half a
   * window changes nothing; one that is more than a window behind begins none, and is refused
   * unless another has begun it.
   *
   * @param unit MINUTES, HOURS, DAYS, WEEKS or MONTHS.
   */
  public static ScriptLimit calendarWindow(long limit, ChronoUnit unit, ZoneId zone) {
    if (unit == ChronoUnit.MINUTES) {
      return fixedWindow(limit, MINUTE_US, 0);
    }
    Exact.range("limit", limit, 1, Exact.MAX);
    return new ScriptLimit(limit, new CalendarEdges(unit, zone));
  }

  /** A limit of units held at a time; for a hold and a peek only, and without other numbers. */
  public static ScriptLimit concurrency(long limit) {
    Exact.range("limit", limit, 1, Exact.MAX);
    return new ScriptLimit(CONCURRENCY, limit, limit, 0, 0, 0);
  }

  private static void window(long limit, long windowUs) {
    Exact.range("windowUs", windowUs, 1, MAX_WINDOW_US);
    Exact.range("limit", limit, 1, Exact.MAX);
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** Units at once. */
  public long capacity() {
    return capacity;
  }

  /**
   * The time that so many units take to flow out of a queue, rounded up; 0 if this is none.
   *
   * @param units from 0 to {@link #capacity}.
   */
  public long outflowUs(long units) {
    Exact.range("units", units, 0, capacity);
    return queue ? (units * pacedPeriodUs + pacedUnits - 1) / pacedUnits : 0;
  }

  /** Whether it is of a key that is a former name of the limit before it. */
  public boolean isFormer() {
    return isFormer;
  }

  /** Whether it is a queue, which takes nothing back, and of which nothing can be kept. */
  public boolean isQueue() {
    return queue;
  }

  /** Whether units of it are held only, and never used. */
  public boolean isConcurrency() {
    return isConcurrency;
  }

  /** Whether what is granted of it has a mark, by which more of it can be given back. */
  public boolean isMarked() {
    return marked;
  }

  /** Whether the budget comes back at a steady pace, and not with windows. */
  public boolean isPaced() {
    return pacedUnits > 0;
  }

  /**
   * The time that so many units of a paced limit take to come back, rounded down.
   *
   * @param units from 0 to {@link #capacity}.
   */
  public long comesBackNs(long units) {
    Exact.range("units", units, 0, capacity);
    // Below 2^62, as the capacity takes less than 2^52 in units and periods.
    return units * pacedPeriodUs * 1_000 / pacedUnits;
  }

  /** The longest time for which a charge counts; of a limit that is not paced. */
  public long countsUs() {
    return countsUs;
  }

  /** Whether the limit's encoding depends on the caller's time. */
  boolean needsTime() {
    return calendar != null;
  }

  /** Allocates for a calendar's window alone, twice per window. */
  void copyTo(ByteBuffer target, long nowUs) {
    Encoding current = encoding;
    if (calendar != null && (nowUs < current.fromUs || nowUs >= current.untilUs)) {
      current = aroundUs(nowUs);
      encoding = current;
    }
    target.put(current.bytes, 0, BYTES);
    if (isFormer) {
      int at = target.position() - BYTES;
      target.put(at, (byte) (target.get(at) + FORMER));
    }
  }

  /** The two windows whose common edge is the nearest. */
  private Encoding aroundUs(long nowUs) {
    final long start = calendar.startUs(nowUs);
    final long end = calendar.endUs(nowUs);
    final long middle = start + (end - start) / 2;
    if (nowUs < middle) {
      final long before = calendar.startUs(start - 1);
      return new Encoding(start, middle, encode(CALENDAR, capacity, before, start, end));
    }
    return new Encoding(middle, end, encode(CALENDAR, capacity, start, end, calendar.endUs(end)));
  }
}
