package dev.weir.scripts;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The argument of {@link LuaScript#CHECK}, written into a buffer that is reused. A check begins
 * with {@link #check}, {@link #checkOnce}, {@link #peek}, {@link #reset}, {@link #refund} or {@link
 * #debt}; the keys go to the server in the order of the limits, one per limit; those of one check
 * are different. Owned by one thread; allocates nothing, unless a calendar turns to its next
 * window, or a value is out of range ({@link IllegalArgumentException}) or there is no room ({@link
 * IllegalStateException}): then nothing is written.
 */
public final class CheckCall {
  /** Keys of one call: what the script can unpack, and bounded work for the server. */
  public static final int MAX_KEYS = 1000;

  /** Limits of one check. */
  public static final int MAX_LIMITS = 8;

  private static final int CHECK = 1;
  private static final int PEEK = 2;
  private static final int RESET = 3;
  private static final int REFUND = 4;
  private static final int CHECK_ONCE = 5;
  private static final int DEBT = 6;

  /*
   * byte    0    1        2          10           18
   *         | op | limits | requests | charged at | of each limit: 33 bytes, its cost: 8 bytes
   */
  private static final int LIMITS = 1;
  private static final int REQUESTS = 2;
  private static final int CHARGED_AT = 10;
  private static final int HEAD_BYTES = 18;
  private static final int LIMIT_BYTES = ScriptLimit.BYTES + Double.BYTES;

  private static final long NO_TIME = -1;

  private final int maxKeys;
  private final ByteBuffer buffer;
  private final int[] offsets;
  private int keys;
  private int checks;
  private long nowUs = NO_TIME;

  /**
   * @param maxKeys from 1 to {@link #MAX_KEYS}.
   */
  public CheckCall(int maxKeys) {
    Exact.range("maxKeys", maxKeys, 1, MAX_KEYS);
    this.maxKeys = maxKeys;
    buffer =
        ByteBuffer.allocate(maxKeys * (HEAD_BYTES + LIMIT_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
    offsets = new int[maxKeys];
  }

  /** Forgets all checks. The next ones are not limited by a calendar. */
  public CheckCall clear() {
    return clear(NO_TIME);
  }

  /**
   * Forgets all checks.
   *
   * @param nowUs the caller's Unix time, from 0 to 2^51, by which calendar windows are sent; it
   *     decides nothing.
   */
  public CheckCall clear(long nowUs) {
    Exact.range("nowUs", nowUs, NO_TIME, ScriptLimit.MAX_WINDOW_US);
    this.nowUs = nowUs;
    buffer.clear();
    keys = 0;
    checks = 0;
    return this;
  }

  /**
   * Charges as many of the requests as all limits of the check admit, first come, first served.
   *
   * @param requests 1 or more.
   * @param cost units that each takes of the limit, 1 or more.
   * @return the index of the check, from 0: of its figures in {@link CheckReply}.
   */
  public int check(long requests, long cost, ScriptLimit limit) {
    return begin(CHECK, requests, cost, 0, limit);
  }

  /**
   * Like {@link #check} of one request, but if it is granted, the decision is kept for five minutes
   * under one further key, sent behind those of the check's limits: one per request that must not
   * be charged twice, and limit. A repeat gets it again without a charge ({@link
   * CheckReply#replayed}), three times; then repeats are decided and charged like any request until
   * the five minutes are over. A refusal is not kept. Whoever refunds the charge also resets that
   * key in the same call, or the repeats would be free.
   */
  public int checkOnce(long cost, ScriptLimit limit) {
    room(2);
    final int check = begin(CHECK_ONCE, 1, cost, 0, limit);
    keys++;
    return check;
  }

  /** Asks what {@link #check} would grant, without charging. */
  public int peek(long requests, long cost, ScriptLimit limit) {
    return begin(PEEK, requests, cost, 0, limit);
  }

  /**
   * Gives {@code units} back, as far as the charge still counts; a queue takes nothing back.
   *
   * @param chargedAtUs {@link CheckReply#nowUs()} of the charge.
   */
  public int refund(long units, long chargedAtUs, ScriptLimit limit) {
    Exact.range("chargedAtUs", chargedAtUs, 0, Exact.MAX);
    return begin(REFUND, 1, units, chargedAtUs, limit);
  }

  /**
   * Charges requests that have passed undecided, as if they had been charged then: as much as still
   * counts, and fits.
   *
   * @param passedAtUs when they passed, in the time of the server.
   */
  public int debt(long requests, long cost, long passedAtUs, ScriptLimit limit) {
    Exact.range("passedAtUs", passedAtUs, 0, Exact.MAX);
    return begin(DEBT, requests, cost, passedAtUs, limit);
  }

  /**
   * Forgets what was consumed.
   *
   * @param count of keys, from 1 to {@link #MAX_LIMITS}.
   */
  public int reset(int count) {
    Exact.range("keys", count, 1, MAX_LIMITS);
    room(count);
    head(RESET, count, 1, 0);
    keys += count;
    return checks++;
  }

  private int begin(int op, long requests, long cost, long chargedAtUs, ScriptLimit limit) {
    exact(requests, cost);
    timed(limit);
    room(1);
    head(op, 1, requests, chargedAtUs);
    limit(limit, cost);
    return checks++;
  }

  private void head(int op, int limits, long requests, long chargedAtUs) {
    final int at = buffer.position();
    offsets[checks] = at;
    buffer.put(at, (byte) op);
    buffer.put(at + LIMITS, (byte) limits);
    buffer.putDouble(at + REQUESTS, requests);
    buffer.putDouble(at + CHARGED_AT, chargedAtUs);
    buffer.position(at + HEAD_BYTES);
  }

  private void limit(ScriptLimit limit, long cost) {
    limit.copyTo(buffer, nowUs);
    buffer.putDouble(cost);
    keys++;
  }

  /**
   * A further limit of the check begun last: all of its limits admit a request, or none does.
   *
   * @param cost units that each request takes of this limit, 1 or more; of a refund, the units that
   *     go back to it.
   */
  public CheckCall also(ScriptLimit limit, long cost) {
    if (checks == 0 || buffer.get(offsets[checks - 1]) == RESET) {
      throw new IllegalStateException("also: no check to be limited further");
    }
    final int at = offsets[checks - 1] + LIMITS;
    if (buffer.get(at) == MAX_LIMITS) {
      throw new IllegalStateException("limits: 9 (expected: at most " + MAX_LIMITS + ")");
    }
    exact((long) buffer.getDouble(offsets[checks - 1] + REQUESTS), cost);
    timed(limit);
    room(1);
    limit(limit, cost);
    buffer.put(at, (byte) (buffer.get(at) + 1));
    return this;
  }

  /**
   * Adds requests to an earlier check or peek of this call: for those that came with the same
   * identity, limits and costs meanwhile.
   *
   * @param check what {@link #check} returned.
   */
  public CheckCall more(int check, long requests) {
    Exact.range("check", check, 0, checks - 1L);
    final int at = offsets[check];
    if (buffer.get(at) > PEEK) {
      throw new IllegalArgumentException("check: " + check + " (expected: one of many requests)");
    }
    Exact.range("requests", requests, 1, Exact.MAX);
    final long total = (long) buffer.getDouble(at + REQUESTS) + requests;
    for (int limit = 0; limit < buffer.get(at + LIMITS); limit++) {
      final int costAt = at + HEAD_BYTES + limit * LIMIT_BYTES + ScriptLimit.BYTES;
      exact(total, (long) buffer.getDouble(costAt));
    }
    buffer.putDouble(at + REQUESTS, total);
    return this;
  }

  private void timed(ScriptLimit limit) {
    if (nowUs == NO_TIME && limit.needsTime()) {
      throw new IllegalStateException("clear: no time (expected: one, for a calendar window)");
    }
  }

  private void room(int count) {
    if (keys + count > maxKeys) {
      throw new IllegalStateException(
          "keys: " + (keys + count) + " (expected: at most " + maxKeys + ")");
    }
  }

  private static void exact(long requests, long cost) {
    if (Exact.product(requests, cost) == 0) {
      throw new IllegalArgumentException(
          "requests: "
              + requests
              + ", cost: "
              + cost
              + " (expected: 1 or more each, and together at most "
              + Exact.MAX
              + ")");
    }
  }

  /** Keys of all checks so far, to be sent with them. */
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
