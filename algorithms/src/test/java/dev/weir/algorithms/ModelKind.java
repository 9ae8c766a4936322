package dev.weir.algorithms;

import java.math.BigInteger;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.SplittableRandom;

/** A way to state a limit, and how to draw one at random, as limit and as model. */
enum ModelKind {
  GCRA,
  TOKEN_BUCKET,
  LEAKY_BUCKET,
  LEAKY_BUCKET_QUEUE,
  FIXED_WINDOW,
  CALENDAR_WINDOW,
  SLIDING_COUNTER,
  SLIDING_LOG,
  BUCKET_RING;

  /** The most cells that a drawn limit needs. */
  static final int MAX_CELLS = 64;

  private static final long SECOND = 1_000_000_000L;
  private static final long[] WINDOWS = {SECOND, 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND};

  private static final Calendar[] CALENDARS = {
    new Calendar(CalendarUnit.HOUR, "Australia/Lord_Howe", 2026),
    new Calendar(CalendarUnit.HOUR, "Asia/Kathmandu", 2026),
    new Calendar(CalendarUnit.DAY, "Europe/Berlin", 2026),
    new Calendar(CalendarUnit.DAY, "America/Santiago", 2026),
    new Calendar(CalendarUnit.WEEK, "America/New_York", 2026),
    new Calendar(CalendarUnit.MONTH, "UTC", 2026),
    new Calendar(CalendarUnit.MONTH, "Pacific/Auckland", 2026),
    // Clocks go back a minute after midnight, so a date comes twice.
    new Calendar(CalendarUnit.HOUR, "America/St_Johns", 2001),
    new Calendar(CalendarUnit.DAY, "America/St_Johns", 2001),
    // Skips a Friday. Then: 45 minutes off the hour; 44 minutes and 30 seconds, until 1972.
    new Calendar(CalendarUnit.WEEK, "Pacific/Apia", 2006),
    new Calendar(CalendarUnit.DAY, "Pacific/Apia", 2006),
    new Calendar(CalendarUnit.HOUR, "Pacific/Chatham", 2026),
    new Calendar(CalendarUnit.HOUR, "Africa/Monrovia", 1968),
  };

  /** A limit, and the model of a fresh key under it. */
  record Drawn(Limit limit, Model model) {}

  /**
   * The windows of a calendar on a clock that starts with a year; they take a while to work out.
   */
  private record Calendar(Windows windows, ModelWindows model) {
    Calendar(CalendarUnit unit, String zone, int startYear) {
      this(unit, ZoneId.of(zone), -LocalDate.of(startYear, 1, 1).toEpochDay() * 86_400 * SECOND);
    }

    private Calendar(CalendarUnit unit, ZoneId zone, long epochNs) {
      this(
          new CalendarWindows(unit, zone, epochNs), new ModelWindows.Calendar(unit, zone, epochNs));
    }
  }

  Drawn draw(SplittableRandom random) {
    return switch (this) {
      case GCRA, TOKEN_BUCKET, LEAKY_BUCKET, LEAKY_BUCKET_QUEUE -> paced(random);
      case FIXED_WINDOW -> {
        final long windowNs = windowNs(random, 1);
        final long epochNs = random.nextBoolean() ? 0 : random.nextLong();
        final long limit = number(random, StateWord.countBits(StateWord.grain(windowNs)));
        yield new Drawn(
            Limit.fixedWindow(limit, windowNs, epochNs),
            new ModelFixedWindow(limit, ModelWindows.Even.from(windowNs, epochNs)));
      }
      case CALENDAR_WINDOW -> {
        final Calendar calendar = CALENDARS[random.nextInt(CALENDARS.length)];
        final long limit = number(random, 20);
        yield new Drawn(
            new FixedWindowLimit(limit, calendar.windows),
            new ModelFixedWindow(limit, calendar.model));
      }
      case SLIDING_COUNTER -> {
        final long windowNs = windowNs(random, 1);
        final long limit = number(random, StateWord.countBits(StateWord.grain(windowNs)) / 2);
        yield new Drawn(
            Limit.slidingCounter(limit, windowNs), new ModelSlidingCounter(limit, windowNs));
      }
      case SLIDING_LOG -> {
        final long windowNs = windowNs(random, 1);
        final long limit = 1 + random.nextInt(MAX_CELLS);
        yield new Drawn(
            Limit.slidingLog(limit, windowNs), new ModelSlidingLog(limit, windowNs, MAX_CELLS));
      }
      case BUCKET_RING -> {
        final int subWindows = 2 + random.nextInt(MAX_CELLS - 1);
        final long widthNs = windowNs(random, subWindows);
        final long limit = number(random, StateWord.shift(StateWord.grain(widthNs)));
        yield new Drawn(
            Limit.bucketRing(limit, widthNs * subWindows, subWindows),
            new ModelBucketRing(limit, widthNs * subWindows, subWindows));
      }
    };
  }

  /**
   * A limit of these windows and another count, where the algorithm has windows; else another
   * limit.
   */
  Drawn drawBeside(Drawn other, SplittableRandom random) {
    final SplittableRandom again = random.split();
    for (int attempt = 0; attempt < 4; attempt++) {
      final Drawn drawn = draw(again);
      if (drawn.limit.takesStatesOf(other.limit)) {
        return drawn;
      }
    }
    return draw(again);
  }

  /** One of the usual windows, or any that {@code count} of make a window. */
  private static long windowNs(SplittableRandom random, int count) {
    if (random.nextInt(3) > 0) {
      return WINDOWS[random.nextInt(WINDOWS.length)];
    }
    final long least = Limit.MIN_WINDOW_NS;
    final long most = Limit.MAX_WINDOW_NS / count;
    return random.nextBoolean()
        ? least + random.nextInt(3)
        : least + random.nextLong(Math.min(most - least, 1L << random.nextInt(1, 57)));
  }

  private static long number(SplittableRandom random, int bits) {
    return random.nextInt(10) == 0
        ? (1L << bits) - 1
        : 1 + random.nextLong((1L << random.nextInt(1, bits + 1)) - 1);
  }

  private Drawn paced(SplittableRandom random) {
    final long windowNs =
        random.nextBoolean()
            ? WINDOWS[random.nextInt(WINDOWS.length)]
            : 1 + random.nextLong(1L << random.nextInt(1, 50));
    final long scale = this == TOKEN_BUCKET ? Math.min(1 + random.nextLong(1000), windowNs) : 1;
    final long perWindow =
        1 + random.nextLong(Math.min(windowNs / scale, 1L << random.nextInt(1, 24)));
    final BigInteger most =
        BigInteger.valueOf(Limit.MAX_TIME_NS - 1)
            .multiply(BigInteger.valueOf(perWindow))
            .divide(BigInteger.valueOf(windowNs))
            .min(BigInteger.valueOf(Limit.MAX_TIME_NS / scale));
    final long size =
        1 + random.nextLong(Math.min(most.longValueExact(), 1L << random.nextInt(1, 40)));
    final long maxWaitNs = random.nextBoolean() ? 0 : random.nextLong(1L << random.nextInt(1, 58));
    if (scale > 1 && random.nextBoolean()) {
      final long units = perWindow * scale - random.nextLong(scale / 2);
      final long capacity = Math.max(1, size * scale / 2 - random.nextLong(scale / 2));
      return new Drawn(
          Limit.tokenBucketOfUnits(capacity, units, windowNs, scale),
          ModelBudget.meter(units, windowNs, capacity, scale));
    }
    final Limit limit =
        switch (this) {
          case GCRA -> Limit.gcra(perWindow, windowNs, size);
          case TOKEN_BUCKET -> Limit.tokenBucket(size, perWindow, windowNs, scale);
          case LEAKY_BUCKET -> Limit.leakyBucket(size, perWindow, windowNs);
          default -> Limit.leakyBucketQueue(size, perWindow, windowNs, maxWaitNs);
        };
    return new Drawn(
        limit,
        this == LEAKY_BUCKET_QUEUE
            ? ModelBudget.queue(perWindow, windowNs, size, maxWaitNs)
            : ModelBudget.meter(perWindow * scale, windowNs, size * scale, scale));
  }
}
