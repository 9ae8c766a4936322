package dev.weir.proxy.rule.spec;

import dev.weir.algorithms.HeldBudget;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.adaptive.AdaptiveLimit;
import dev.weir.algorithms.lease.LeaseLife;
import dev.weir.proxy.rule.spec.RuleSpec.FaultSink;
import dev.weir.scripts.ScriptLimit;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A limit as written: an algorithm, its rate, and the settings of that algorithm.
 *
 * @param algorithm null of a limit of requests at a time, which has none.
 * @param rate null if not given.
 * @param burst how much may pass at once, the depth of a bucket, in the rate's units; 0 if not
 *     given, then as much as the rate's count, and one at least. For the algorithms that pace.
 * @param overflow null if not given, then {@link Overflow#REJECT}. For the leaky bucket.
 * @param maxWaitNs how long a request may be held at most; 0 if not given, then a second. For
 *     {@link Overflow#QUEUE}.
 * @param align null if not given, then the epoch; for a limit per month, the month. For the fixed
 *     window.
 * @param zone time zone of the calendar; null if not given, then UTC. For an alignment from the
 *     hour up.
 * @param subWindowNs by how much the window moves at a time; 0 if not given, then a tenth of it.
 *     For the bucket ring.
 */
public record LimitSpec(
    Algorithm algorithm,
    Rate rate,
    long burst,
    Overflow overflow,
    long maxWaitNs,
    Alignment align,
    ZoneId zone,
    long subWindowNs) {
  /** How long a request of a queue waits at most by default. */
  public static final long DEFAULT_MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(1);

  /** The longest wait that may be set: a held request keeps its connection. */
  public static final long MAX_MAX_WAIT_NS = TimeUnit.HOURS.toNanos(1);

  /**
   * The most units that the state word can count for a window of a second; longer windows count
   * more.
   */
  private static final long MOST_PER_SECOND = (1L << 30) - 1;

  /** The field of a limit of requests at a time, and its name if it has none of its own. */
  private static final String CONCURRENCY = "concurrency";

  /** The most units that the state word of longer windows can count. */
  private static final long MOST = (1L << 36) - 1;

  private static final int DEFAULT_SUB_WINDOWS = 10;
  private static final long NS_PER_US = 1_000;

  private static final Pattern NUMBER = Pattern.compile("\\d+");

  /** Finds what was expected in the message of an exception. */
  private static final Pattern EXPECTED =
      Pattern.compile("\\(expected: (.*?)(?: for \\d+ ns)?\\)$");

  /** This limit with all defaults, and without settings of other algorithms. */
  public LimitSpec resolved() {
    boolean queues = algorithm == Algorithm.LEAKY_BUCKET && overflow == Overflow.QUEUE;
    Alignment aligned = algorithm == Algorithm.FIXED_WINDOW ? alignOrDefault() : null;
    return new LimitSpec(
        algorithm,
        rate,
        capacity(),
        queues ? Overflow.QUEUE : null,
        !queues ? 0 : maxWaitNs == 0 ? DEFAULT_MAX_WAIT_NS : maxWaitNs,
        aligned,
        aligned == null || !aligned.takesZone() ? null : zone == null ? ZoneOffset.UTC : zone,
        algorithm == Algorithm.BUCKET_RING ? subWindowOrDefaultNs() : 0);
  }

  /** Whether it finds how many requests may be in flight, by the times of the service. */
  public boolean isAdaptive() {
    return rate != null && rate.isFound();
  }

  /** How many requests may be in flight at a time, as it is written. */
  public String concurrencyText() {
    return isAdaptive()
        ? "{adaptive: {min: %d, max: %d}}".formatted(rate.least(), rate.count())
        : String.valueOf(capacity());
  }

  /** Whether it limits how many requests are in flight at a time. */
  public boolean isConcurrency() {
    return rate != null && rate.isAtATime();
  }

  /** The word for the time that it counts: the length of its window. */
  public String windowText() {
    return isConcurrency() ? CONCURRENCY : rate.window();
  }

  /** The units that may pass at once; 0 if there is no rate. */
  public long capacity() {
    return burst != 0 || rate == null ? burst : Math.max(rate.count(), rate.unit());
  }

  /** How many units are one: 1, or of a limit with decimals {@link Thousandths#ONE}. */
  public int unit() {
    return rate == null ? 1 : rate.unit();
  }

  /** The capacity as people write it. */
  public String capacityText() {
    return Thousandths.text(capacity(), unit());
  }

  private String burstText() {
    return Thousandths.text(burst, unit());
  }

  /** The text that faults expect instead of decimals. */
  String wholeNumber(String which) {
    return "a whole number, as the algorithm%s is %s; token-bucket takes decimals"
        .formatted(which, algorithm);
  }

  /** How long one takes to come back on average. */
  public long comesBackNs() {
    return rate.windowNs() / rate.count() * rate.unit();
  }

  /** The settings that were given, without the algorithm, by name. */
  Map<String, String> given() {
    Map<String, String> given = new LinkedHashMap<>();
    put(given, isConcurrency() ? CONCURRENCY : "limit", isConcurrency() ? concurrencyText() : rate);
    put(given, "burst", burst == 0 ? null : burstText());
    put(given, "overflow", overflow);
    put(given, "max-wait", maxWaitNs == 0 ? null : DurationText.text(maxWaitNs));
    put(given, "align", align);
    put(given, "time-zone", zone);
    put(given, "sub-window", subWindowNs == 0 ? null : DurationText.text(subWindowNs));
    return given;
  }

  private static void put(Map<String, String> given, String field, Object value) {
    if (value != null) {
      given.put(field, value.toString());
    }
  }

  private Alignment alignOrDefault() {
    return align != null ? align : rate.isMonthly() ? Alignment.MONTH : Alignment.EPOCH;
  }

  private long subWindowOrDefaultNs() {
    return subWindowNs != 0 ? subWindowNs : rate.windowNs() / DEFAULT_SUB_WINDOWS;
  }

  /** Cells that a table needs for each key; 0 unless the algorithm keeps a ring. */
  public int cells() {
    return !isConcurrency() && algorithm.takesRing() ? compile(0).cells() : 0;
  }

  /**
   * Whether counts of a key under another limit mean the same under this one: the same windows,
   * with another number.
   */
  public boolean keepsCountsOf(LimitSpec other) {
    return !takesBurst() && resolved().with(rate).equals(other.resolved().with(rate));
  }

  /** Whether it paces, so that its burst is independent of its rate. */
  public boolean takesBurst() {
    return !isConcurrency() && algorithm.takesBurst();
  }

  /** This limit's own value, as an amount. */
  public Amount amount() {
    return new Amount(rate, burst * (Thousandths.ONE / unit()));
  }

  /**
   * Whether an amount is one of this limit: of the same window, and a burst only of a paced one.
   */
  public boolean fits(Amount amount) {
    return amount.isUnlimited()
        || rate.sameWindow(amount.rate())
            && (amount.burstThousandths() == 0 || takesBurst())
            && !isAdaptive();
  }

  /**
   * This limit with other numbers.
   *
   * @param amount that {@link #fits}, and is not unlimited.
   */
  public LimitSpec under(Amount amount) {
    long burst = amount.burstThousandths() / (Thousandths.ONE / unit());
    return new LimitSpec(
        algorithm,
        amount.rate().in(unit()),
        amount.burstThousandths() == 0 ? 0 : Math.max(1, burst),
        overflow,
        maxWaitNs,
        align,
        zone,
        subWindowNs);
  }

  private LimitSpec with(Rate other) {
    return rate.sameWindow(other)
        ? new LimitSpec(
            algorithm, other, other.count(), overflow, maxWaitNs, align, zone, subWindowNs)
        : this;
  }

  /** {@link #compile(long)}, from the number that the limit before has found. */
  public Limit compile(long unixEpochNs, Limit before) {
    return isAdaptive() && before.adaptive() != null
        ? Limit.heldUnits(before.adaptive().within((int) rate.least(), (int) rate.count()))
        : compile(unixEpochNs);
  }

  /**
   * Compiles a limit without faults.
   *
   * @param unixEpochNs the Unix epoch by the clock of the checks.
   * @throws IllegalArgumentException if it is out of range.
   */
  public Limit compile(long unixEpochNs) {
    if (isAdaptive()) {
      return Limit.heldUnits(new AdaptiveLimit((int) rate.least(), (int) rate.count()));
    }
    if (isConcurrency()) {
      return Limit.heldUnits(rate.count());
    }
    return resolved().compile(countHere(), rate.windowNs(), capacity(), unixEpochNs);
  }

  private long countHere() {
    if (!rate.isUnbounded()) {
      return rate.count();
    }
    return rate.windowNs() <= TimeUnit.SECONDS.toNanos(1) ? MOST_PER_SECOND : MOST;
  }

  /**
   * The share of one of several nodes; all shares together let pass no more than the limit does.
   * Rate and depth are divided by the number of nodes. If that is less than one request, they are
   * divided by fewer, and the last nodes have no share. A state means the same under another share:
   * a full budget is full under each.
   *
   * @param whole this limit, compiled.
   * @param rank of the node, from 0.
   * @param cost units that one request takes, at most the capacity.
   * @return null if the node has no share.
   */
  public Limit share(Limit whole, int nodes, int rank, long cost) {
    if (isAdaptive()) {
      return whole; // each sidecar has its own service
    }
    int parts = (int) Math.min(nodes, capacity() / cost);
    Limit share = null;
    while (parts > 1 && share == null) {
      share = part(whole, parts);
      parts = share == null ? parts / 2 : parts;
    }
    return rank >= parts ? null : share == null ? whole : share;
  }

  /** A part of the limit; null if its rate is so low that a key would be kept for years. */
  private Limit part(Limit whole, int parts) {
    LimitSpec spec = resolved();
    long count = rate.count() / parts;
    if (isConcurrency()) {
      return Limit.heldUnits(count);
    }
    if (algorithm == Algorithm.FIXED_WINDOW) {
      return Limit.fixedWindow(count, whole);
    }
    try {
      return algorithm.takesBurst()
          ? spec.compile(
              rate.count(), Math.multiplyExact(rate.windowNs(), parts), capacity() / parts, 0)
          : spec.compile(count, rate.windowNs(), count, 0);
    } catch (IllegalArgumentException | ArithmeticException tooSlow) {
      return null;
    }
  }

  /**
   * @param unixEpochNs for a fixed window only.
   */
  private Limit compile(long count, long windowNs, long depth, long unixEpochNs) {
    return switch (algorithm) {
      case GCRA -> Limit.gcra(count, windowNs, depth);
      case TOKEN_BUCKET ->
          unit() == 1
              ? Limit.tokenBucket(depth, count, windowNs)
              : Limit.tokenBucketOfUnits(depth, count, windowNs, unit());
      case LEAKY_BUCKET ->
          overflow == Overflow.QUEUE
              ? Limit.leakyBucketQueue(depth, count, windowNs, maxWaitNs)
              : Limit.leakyBucket(depth, count, windowNs);
      case FIXED_WINDOW ->
          align == Alignment.EPOCH
              ? Limit.fixedWindow(count, windowNs, unixEpochNs)
              : Limit.fixedWindow(
                  count, align.unit(), zone == null ? ZoneOffset.UTC : zone, unixEpochNs);
      case SLIDING_LOG -> Limit.slidingLog(count, windowNs);
      case SLIDING_COUNTER -> Limit.slidingCounter(count, windowNs);
      case BUCKET_RING ->
          Limit.bucketRing(count, windowNs, Math.toIntExact(windowNs / subWindowNs));
    };
  }

  /**
   * This limit for the store's script.
   *
   * @throws IllegalArgumentException if the script cannot count it exactly.
   */
  public ScriptLimit compileForStore() {
    if (isConcurrency()) {
      return ScriptLimit.concurrency(capacity());
    }
    LimitSpec spec = resolved();
    long count = rate.count();
    long windowUs = rate.windowNs() / NS_PER_US;
    return switch (algorithm) {
      case GCRA, TOKEN_BUCKET -> ScriptLimit.paced(spec.burst, count, windowUs);
      case LEAKY_BUCKET ->
          spec.overflow == Overflow.QUEUE
              ? ScriptLimit.queue(spec.burst, count, windowUs, spec.maxWaitNs / NS_PER_US)
              : ScriptLimit.paced(spec.burst, count, windowUs);
      case FIXED_WINDOW ->
          spec.align == Alignment.EPOCH
              ? ScriptLimit.fixedWindow(count, windowUs, 0)
              : ScriptLimit.calendarWindow(
                  count, spec.align.storeUnit(), spec.zone == null ? ZoneOffset.UTC : spec.zone);
      case SLIDING_LOG -> ScriptLimit.slidingLog(count, windowUs);
      case SLIDING_COUNTER -> ScriptLimit.slidingCounter(count, windowUs);
      case BUCKET_RING ->
          ScriptLimit.bucketRing(
              count, windowUs, Math.toIntExact(rate.windowNs() / spec.subWindowNs));
    };
  }

  /**
   * Whether a key that was refused waits before it asks the store again. A refusal of a fixed
   * window holds until the window ends, so it does not need that.
   */
  public boolean isSpaced() {
    return algorithm != Algorithm.FIXED_WINDOW;
  }

  /**
   * The longest life of a lease by default, in microseconds, 1 or more: so short that leased units
   * are few beside the limit.
   */
  public long leaseLifeUs() {
    if (isConcurrency()) {
      return LeaseLife.LONGEST_US;
    }
    long windowUs = rate.windowNs() / NS_PER_US;
    return switch (algorithm) {
      case GCRA, TOKEN_BUCKET, LEAKY_BUCKET ->
          LeaseLife.ofPacedUs(capacity(), rate.count(), windowUs);
      case FIXED_WINDOW, SLIDING_COUNTER -> LeaseLife.ofWindowUs(windowUs);
      case SLIDING_LOG -> LeaseLife.ofLogUs(windowUs);
      // Units of a ring are used in the sub-window that they were kept in.
      case BUCKET_RING ->
          Math.min(LeaseLife.ofWindowUs(windowUs), resolved().subWindowNs / NS_PER_US);
    };
  }

  /**
   * Reports what the store's script cannot count, for a limit without other faults.
   *
   * @param mode that needs the store.
   */
  public void checkForStore(Mode mode, FaultSink sink) {
    if (rate == null) {
      return;
    }
    String because = ", as the mode is " + mode;
    if (rate.windowNs() % NS_PER_US != 0 || subWindowNs % NS_PER_US != 0) {
      sink.fault("limit", rate.toString(), "whole microseconds" + because);
      return;
    }
    try {
      compileForStore();
    } catch (IllegalArgumentException tooMuch) {
      sink.fault("limit", rate.toString(), inOnes(bound(tooMuch)) + because);
    }
  }

  /** A text about a number of units, which people write in ones. */
  private String inOnes(String bound) {
    Matcher number = NUMBER.matcher(bound);
    return unit() != 1 && number.find()
        ? number.replaceFirst(Thousandths.text(Long.parseLong(number.group()), unit()))
        : bound;
  }

  /** The bound that a number has passed, as the exception names it. */
  private static String bound(IllegalArgumentException tooMuch) {
    Matcher bound = EXPECTED.matcher(tooMuch.getMessage());
    return bound.find() ? bound.group(1) : tooMuch.getMessage();
  }

  /** Reports all faults of this limit; returns whether there are none. */
  public boolean check(FaultSink sink) {
    Faulty faulty = new Faulty(sink);
    if (isConcurrency()) {
      checkConcurrency(faulty);
      return !faulty.any;
    }
    checkFields(faulty);
    if (rate == null) {
      faulty.fault("limit", "missing", "a rate such as 100/1s, 10/1m, 1000/1h or 1/1d");
      return false;
    }
    checkWindow(faulty);
    checkDecimals(faulty);
    if (!faulty.any) {
      checkNumbers(faulty);
    }
    return !faulty.any;
  }

  /** Reports settings that only rates have. */
  private void checkConcurrency(Faulty faulty) {
    String expected = "nothing, as concurrency has no rate";
    if (algorithm != null) {
      faulty.fault("algorithm", algorithm.toString(), expected);
    }
    given()
        .forEach(
            (field, value) -> {
              if (!field.equals(CONCURRENCY)) {
                faulty.fault(field, value, expected);
              }
            });
  }

  /**
   * Reports a budget that comes back so slowly that a word cannot count what is charged above it.
   *
   * @param because why more than the budget may be charged.
   */
  void checkOwed(String because, FaultSink sink) {
    if (!takesBurst() || rate == null) {
      return;
    }
    double comesBackNs = (double) capacity() * rate.windowNs() / rate.count();
    if (comesBackNs > Limit.MAX_WINDOW_NS) {
      sink.fault(
          burst == 0 ? "limit" : "burst",
          burst == 0 ? rate.toString() : burstText(),
          "a budget that comes back whole in 4.5 years, as " + because);
    }
  }

  /** Reports a budget that is larger than what can be held beside it. */
  void checkHeld(FaultSink sink) {
    if (rate != null && burst >= 0 && capacity() > HeldBudget.MAX_CAPACITY) {
      sink.fault(
          burst == 0 ? "limit" : "burst",
          burst == 0 ? rate.toString() : burstText(),
          "at most "
              + Thousandths.text(HeldBudget.MAX_CAPACITY, unit())
              + " units, as requests hold units of it");
    }
  }

  /** Reports settings that only other algorithms have. */
  private void checkFields(Faulty faulty) {
    String notMine = "nothing, as the algorithm is " + algorithm;
    if (burst < 0) {
      faulty.fault("burst", burstText(), "1 or more");
    } else if (burst != 0 && !algorithm.takesBurst()) {
      faulty.fault("burst", burstText(), notMine);
    }
    if (overflow != null && algorithm != Algorithm.LEAKY_BUCKET) {
      faulty.fault("overflow", overflow.toString(), notMine + "; leaky-bucket has it");
    }
    if (maxWaitNs != 0 && overflow != Overflow.QUEUE) {
      faulty.fault("max-wait", DurationText.text(maxWaitNs), "nothing, unless overflow is queue");
    }
    if (align != null && algorithm != Algorithm.FIXED_WINDOW) {
      faulty.fault("align", align.toString(), notMine + "; fixed-window has it");
    }
    boolean zoned =
        algorithm == Algorithm.FIXED_WINDOW && rate != null && alignOrDefault().takesZone();
    if (zone != null && !zoned && rate != null) {
      faulty.fault(
          "time-zone", zone.toString(), "nothing, unless align is hour, day, week or month");
    }
    if (subWindowNs != 0 && algorithm != Algorithm.BUCKET_RING) {
      faulty.fault("sub-window", DurationText.text(subWindowNs), notMine + "; bucket-ring has it");
    }
  }

  private void checkWindow(Faulty faulty) {
    if (rate.isMonthly() && algorithm != Algorithm.FIXED_WINDOW) {
      faulty.fault(
          "limit",
          rate.toString(),
          "a window of one length such as 30d, as the algorithm is "
              + algorithm
              + "; fixed-window counts by the month");
    } else if (!algorithm.takesBurst() && rate.windowNs() > Limit.MAX_WINDOW_NS) {
      long days = TimeUnit.NANOSECONDS.toDays(Limit.MAX_WINDOW_NS);
      faulty.fault("limit", rate.toString(), "a window of at most " + days + "d");
    } else if (algorithm == Algorithm.FIXED_WINDOW && !alignOrDefault().fits(rate)) {
      faulty.fault(
          "align",
          align.toString(),
          align == Alignment.EPOCH
              ? "month, as the limit is per " + rate.window()
              : "a limit per " + align.window() + ", not per " + rate.window());
    } else if (algorithm == Algorithm.BUCKET_RING) {
      checkSubWindow(faulty);
    }
  }

  /** Reports decimals that the algorithm does not take, and what is too large beside decimals. */
  private void checkDecimals(Faulty faulty) {
    if (unit() == 1) {
      return;
    }
    boolean isPacedByTokens = algorithm == Algorithm.TOKEN_BUCKET;
    long most = Thousandths.MOST * unit();
    if (!isPacedByTokens && Thousandths.isFraction(rate.count())) {
      faulty.fault("limit", rate.toString(), wholeNumber(""));
    } else if (rate.count() > most || rate.count() > rate.windowNs()) {
      faulty.fault(
          "limit",
          rate.toString(),
          "at most %d, and one thousandth per nanosecond, beside decimals"
              .formatted(Thousandths.MOST));
    }
    if (!isPacedByTokens && Thousandths.isFraction(burst)) {
      faulty.fault("burst", burstText(), wholeNumber(""));
    } else if (burst > most) {
      faulty.fault("burst", burstText(), "at most " + Thousandths.MOST + " beside decimals");
    }
  }

  private void checkSubWindow(Faulty faulty) {
    long windowNs = rate.windowNs();
    if (subWindowNs == 0 && windowNs / DEFAULT_SUB_WINDOWS < Limit.MIN_WINDOW_NS) {
      faulty.fault(
          "sub-window",
          "missing",
          "half of " + rate.window() + " or less, as a tenth is too short");
    } else if (subWindowNs != 0 && (windowNs % subWindowNs != 0 || windowNs == subWindowNs)) {
      faulty.fault(
          "sub-window",
          DurationText.text(subWindowNs),
          "a width that divides the window, " + rate.window() + ", into two or more");
    } else if (windowNs / subWindowOrDefaultNs() > Limit.MAX_CELL_COUNT) {
      faulty.fault(
          "sub-window",
          DurationText.text(subWindowNs),
          "at most " + Limit.MAX_CELL_COUNT + " of them in a window");
    }
  }

  private void checkNumbers(Faulty faulty) {
    try {
      compile(0);
    } catch (IllegalArgumentException tooMuch) {
      if (algorithm.takesBurst()) {
        faulty.fault(
            burst == 0 ? "limit" : "burst",
            burst == 0 ? rate.toString() : burstText(),
            "a budget that comes back whole in less than 9 years");
      } else {
        faulty.fault(
            "limit",
            rate.toString(),
            bound(tooMuch) + " in such a window, as the algorithm is " + algorithm);
      }
    }
  }

  /** Passes faults on, and remembers whether there were any. */
  private static final class Faulty implements FaultSink {
    private final FaultSink sink;
    private boolean any;

    Faulty(FaultSink sink) {
      this.sink = sink;
    }

    @Override
    public void fault(String field, BadValueException fault) {
      any = true;
      sink.fault(field, fault);
    }
  }
}
