package dev.weir.scripts;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads the reply of {@link LuaScript#CHECK} where it lies, check by check in the order of the
 * call. Made once and wrapped around one reply after the other; allocates nothing; owned by one
 * thread.
 */
public final class CheckReply {
  /** {@link #retryAfterUs}: no wait lets it pass. */
  public static final long NEVER = -1;

  /** {@link #status}: see {@code check.lua}. */
  public static final int REFUSED = 0;

  public static final int GRANTED = 1;
  public static final int DONE = 2;
  public static final int NOTHING = 3;

  /** A key holds what is not ours; nothing of this check was changed. */
  public static final int FOREIGN = 4;

  /** The key of a {@link CheckCall#checkOnce} was granted another cost; nothing was charged. */
  public static final int OTHER_COST = 5;

  /** {@link #holdStatus}: the limit does not hold. */
  public static final int NOT_HELD = 0;

  /** {@link #holdStatus}: the holder's numbers are those of the store. */
  public static final int APPLIED = 1;

  /** {@link #holdStatus}: a later message of the holder came first; nothing was done. */
  public static final int OLDER = 2;

  /** {@link #holdStatus}: the store has no record of the holder; nothing was done. */
  public static final int FORGOTTEN = 3;

  /** Marks are counted modulo this. */
  static final long COUNTS = 1L << 40;

  private static final int REPLAYED = 16;
  private static final int HEAD_BYTES = 8;
  private static final int CHECK_BYTES = 50;

  /**
   * Bytes of each lease, behind those of all checks: kept, life, a mark for each limit there may
   * be.
   */
  private static final int LEASE_BYTES = (2 + CheckCall.MAX_LIMITS) * Double.BYTES;

  /** Bytes of each hold, behind those of all leases: kept, a status for each limit there may be. */
  private static final int HOLD_BYTES = Double.BYTES + CheckCall.MAX_LIMITS;

  private static final VarHandle DOUBLE =
      MethodHandles.byteBufferViewVarHandle(double[].class, ByteOrder.LITTLE_ENDIAN);

  private ByteBuffer buffer = ByteBuffer.allocate(0);
  private int start;
  private int checks;
  private int leases;
  private int holds;

  /**
   * Reads the reply to a call without leases and holds: see {@link #wrap(ByteBuffer, int, int,
   * int)}.
   */
  public CheckReply wrap(ByteBuffer reply, int checks) {
    return wrap(reply, checks, 0, 0);
  }

  /**
   * Reads {@code reply} from now on, from its position to its limit, of which neither is changed.
   * It is not copied: the figures are those of its bytes as long as they stay.
   *
   * @param reply the bulk string's bytes, heap or direct, of either byte order.
   * @param leases how many of the checks are leases.
   * @param holds how many of the checks are holds.
   * @throws IllegalArgumentException if their number cannot be that of {@code checks} checks.
   */
  public CheckReply wrap(ByteBuffer reply, int checks, int leases, int holds) {
    final int expected = length(checks, leases, holds);
    if (reply.remaining() != expected) {
      throw new IllegalArgumentException(
          "reply: " + reply.remaining() + " bytes (expected: " + expected + ")");
    }
    buffer = reply;
    start = reply.position();
    this.checks = checks;
    this.leases = leases;
    this.holds = holds;
    return this;
  }

  /** Bytes of a reply to so many checks. */
  public static int length(int checks) {
    return length(checks, 0, 0);
  }

  /** Bytes of a reply to so many checks, some of which are leases or holds. */
  public static int length(int checks, int leases, int holds) {
    return HEAD_BYTES + checks * CHECK_BYTES + leases * LEASE_BYTES + holds * HOLD_BYTES;
  }

  /** The server's time of the whole call, Unix time. */
  public long nowUs() {
    return (long) (double) DOUBLE.get(buffer, start);
  }

  public int status(int check) {
    return buffer.get(at(check)) & ~REPLAYED;
  }

  /** Whether this is the decision of an earlier {@link CheckCall#checkOnce}, and cost nothing. */
  public boolean replayed(int check) {
    return (buffer.get(at(check)) & REPLAYED) != 0;
  }

  /**
   * Which of the check's limits the figures are about, from 0; if {@link #FOREIGN}, which of its
   * keys, where that of a {@link CheckCall#checkOnce} comes last.
   */
  public int limitIndex(int check) {
    return buffer.get(at(check) + 1);
  }

  /** Requests granted, of those asked for. */
  public long granted(int check) {
    return number(check, 0);
  }

  public long remaining(int check) {
    return number(check, 1);
  }

  public long capacity(int check) {
    return number(check, 2);
  }

  public long resetAtUs(int check) {
    return number(check, 3);
  }

  /**
   * Until the first request that was not granted passes; 0 if all were, {@link #NEVER}. Of limits
   * that hold, 0 also if the units used alone would leave room: nobody knows when those are
   * released that are held.
   */
  public long retryAfterUs(int check) {
    return number(check, 4);
  }

  /**
   * The wait of the first request that a queue has granted; the n-th after it waits {@link
   * ScriptLimit#outflowUs outflowUs(n * cost)} longer.
   */
  public long waitUs(int check) {
    return number(check, 5);
  }

  /**
   * Units that all holders hold, of the limit that the figures are about: after a hold, and in a
   * peek of limits that hold. {@link #remaining} are those that are neither used nor held.
   */
  public long heldUnits(int check) {
    return number(check, 5);
  }

  /**
   * Requests whose units a hold keeps, besides those granted.
   *
   * @param hold which of the call's holds, from 0.
   */
  public long heldKept(int hold) {
    return (long) (double) DOUBLE.get(buffer, atHold(hold));
  }

  /**
   * The fate of the holder's numbers for a limit: {@link #NOT_HELD}, {@link #APPLIED}, {@link
   * #OLDER}, {@link #FORGOTTEN}.
   */
  public int holdStatus(int hold, int limit) {
    return buffer.get(atHold(hold) + Double.BYTES + limit);
  }

  private int atHold(int hold) {
    assert hold >= 0 && hold < holds : hold;
    return start + length(checks, leases, hold);
  }

  /**
   * Requests that a lease keeps, besides those granted.
   *
   * @param lease which of the call's leases, from 0.
   */
  public long kept(int lease) {
    return ofLease(lease, 0);
  }

  /** The time from the decision on for which they may be used; 0 if none are kept. */
  public long lifeUs(int lease) {
    return ofLease(lease, 1);
  }

  /**
   * The mark of what was kept, which a refund of it has to say: what its limit had granted until
   * then.
   */
  public long keptMark(int lease, int limit) {
    return ofLease(lease, 2 + limit);
  }

  /**
   * The mark of what was granted at once, which a refund of it has to say: what its limit had
   * granted before the part to keep.
   *
   * @param cost units that each request took of the limit.
   */
  public long grantedMark(int lease, int limit, long cost) {
    final long mark = keptMark(lease, limit);
    return mark < 0 ? mark : mark - kept(lease) * cost & COUNTS - 1;
  }

  private long ofLease(int lease, int index) {
    assert lease >= 0 && lease < leases : lease;
    return (long)
        (double)
            DOUBLE.get(
                buffer,
                start
                    + HEAD_BYTES
                    + checks * CHECK_BYTES
                    + lease * LEASE_BYTES
                    + index * Double.BYTES);
  }

  private long number(int check, int index) {
    return (long) (double) DOUBLE.get(buffer, at(check) + 2 + index * Double.BYTES);
  }

  private int at(int check) {
    assert check >= 0 && check < checks : check;
    return start + HEAD_BYTES + check * CHECK_BYTES;
  }
}
