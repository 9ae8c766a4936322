package dev.weir.scripts;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The argument of {@link LuaScript#CHECK}, written into a buffer that is reused. For each check:
 * one of {@link #check}, {@link #peek}, {@link #reset} and {@link #refund}, then its limits; the
 * keys go to the server in the same order, one per limit. Owned by one thread; allocates nothing,
 * unless a value is out of range: {@link IllegalArgumentException}, and nothing is written.
 */
public final class CheckCall {
  /** Keys of one call, and so limits. */
  public static final int MAX_KEYS = 1000;

  /** Limits of one check. */
  public static final int MAX_LIMITS = 8;

  /** Products of a limit and its times stay below: what a double counts exactly. */
  public static final long MAX_EXACT = 1L << 53;

  /** Units of a sliding log, and sub-windows of a ring. */
  public static final int MAX_RUNS = 4096;

  /** No longest wait: a meter, not a queue. */
  public static final long NO_QUEUE = -1;

  private static final int CHECK_BYTES = 26;
  private static final int LIMIT_BYTES = 33;

  private final ByteBuffer buffer =
      ByteBuffer.allocate(MAX_KEYS * (CHECK_BYTES + LIMIT_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
  private int keys;
  private int checks;
  private int countAt;

  /** Forgets all checks. */
  public CheckCall clear() {
    buffer.clear();
    keys = 0;
    checks = 0;
    return this;
  }

  /**
   * @param requests 1 or more: so many of {@code cost} each, first come, first served.
   * @param cost units of each, 1 or more.
   */
  public CheckCall check(long requests, long cost) {
    return begin(1, requests, cost, 0);
  }

  /** What {@link #check} would grant, without charging. */
  public CheckCall peek(long requests, long cost) {
    return begin(2, requests, cost, 0);
  }

  public CheckCall reset() {
    return begin(3, 1, 1, 0);
  }

  /**
   * @param chargedAtUs {@link CheckReply#nowUs()} of the charge.
   */
  public CheckCall refund(long units, long chargedAtUs) {
    return begin(4, 1, units, chargedAtUs);
  }

  private CheckCall begin(int op, long requests, long cost, long chargedAtUs) {
    range("requests", requests, 1, MAX_EXACT - 1);
    range("cost", cost, 1, MAX_EXACT - 1);
    range("requests * cost", Math.multiplyHigh(requests, cost), 0, 0);
    range("requests * cost", requests * cost, 1, MAX_EXACT - 1);
    range("chargedAtUs", chargedAtUs, 0, MAX_EXACT - 1);
    range("checks", checks + 1, 1, MAX_KEYS);
    buffer.put((byte) op);
    countAt = buffer.position();
    buffer.put((byte) 0).putDouble(requests).putDouble(cost).putDouble(chargedAtUs);
    checks++;
    return this;
  }

  /**
   * GCRA, token bucket, leaky bucket: {@code units} per {@code periodUs} come back.
   *
   * @param maxWaitUs of a queue; {@link #NO_QUEUE} if it is none.
   */
  public CheckCall paced(long capacity, long units, long periodUs, long maxWaitUs) {
    range("capacity", capacity, 1, MAX_EXACT - 1);
    range("units", units, 1, MAX_EXACT - 1);
    range("periodUs", periodUs, 1, MAX_EXACT - 1);
    range("maxWaitUs", maxWaitUs, NO_QUEUE, MAX_EXACT - 1);
    final long divisor = gcd(units, periodUs);
    final long unitsReduced = units / divisor;
    final long periodReduced = periodUs / divisor;
    bounded("capacity", capacity, (MAX_EXACT - 1 - unitsReduced) / 2 / periodReduced);
    return limit(1, unitsReduced, periodReduced, capacity, maxWaitUs);
  }

  /**
   * @param epochUs a start of a window in Unix time, 0 or more.
   */
  public CheckCall fixedWindow(long limit, long windowUs, long epochUs) {
    window("limit", limit, windowUs);
    range("epochUs", epochUs, 0, MAX_EXACT - 1);
    return limit(2, limit, windowUs, epochUs % windowUs, 0);
  }

  /**
   * @param limit {@code limit * windowUs} is below {@link #MAX_EXACT}: 104,249 per day.
   */
  public CheckCall slidingCounter(long limit, long windowUs) {
    window("limit", limit, windowUs);
    bounded("limit", limit, (MAX_EXACT - 1) / windowUs);
    return limit(3, limit, windowUs, 0, 0);
  }

  public CheckCall slidingLog(long limit, long windowUs) {
    window("limit", limit, windowUs);
    range("limit", limit, 1, MAX_RUNS);
    return limit(4, limit, windowUs, 0, 0);
  }

  public CheckCall bucketRing(long limit, long windowUs, int subWindows) {
    window("limit", limit, windowUs);
    range("subWindows", subWindows, 2, MAX_RUNS);
    if (windowUs % subWindows != 0) {
      throw new IllegalArgumentException(
          "subWindows: " + subWindows + " (expected: a divisor of " + windowUs + " us)");
    }
    return limit(5, limit, windowUs / subWindows, subWindows, 0);
  }

  private CheckCall limit(int kind, long a, long b, long c, long d) {
    range("keys", keys + 1, 1, MAX_KEYS);
    range("limits", buffer.get(countAt) + 1, 1, MAX_LIMITS);
    buffer.put(countAt, (byte) (buffer.get(countAt) + 1));
    buffer.put((byte) kind).putDouble(a).putDouble(b).putDouble(c).putDouble(d);
    keys++;
    return this;
  }

  private static void window(String name, long limit, long windowUs) {
    range("windowUs", windowUs, 1, MAX_EXACT - 1);
    range(name, limit, 1, MAX_EXACT - 1);
  }

  private static void bounded(String name, long value, long most) {
    if (value > most) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: at most " + most + ", to be exact in microseconds)");
    }
  }

  private static void range(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: from " + least + " to " + most + ")");
    }
  }

  private static long gcd(long a, long b) {
    return b == 0 ? a : gcd(b, a % b);
  }

  /** Keys, and limits, of all checks so far. */
  public int keyCount() {
    return keys;
  }

  public int checkCount() {
    return checks;
  }

  /** The array behind the argument: {@link #length} bytes from 0; changes with the next check. */
  public byte[] array() {
    return buffer.array();
  }

  public int length() {
    return buffer.position();
  }
}
