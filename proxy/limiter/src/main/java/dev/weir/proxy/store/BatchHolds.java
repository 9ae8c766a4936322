package dev.weir.proxy.store;

import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.ScriptLimit;

/**
 * The holds of a batch, and which limits of its peeks hold: the numbers of each that the script
 * gets, kept for a batch that is sent again in parts. Made with a batch's first one.
 */
final class BatchHolds {
  private static final byte[] SUFFIX = {'!', 'h', 'e', 'l', 'd'};

  /** The number of each check's hold in the call. */
  private final int[] indexes = new int[BatchChecks.MAX_KEYS];

  private final long[] keeps = new long[BatchChecks.MAX_KEYS];
  private final long[] livesUs = new long[BatchChecks.MAX_KEYS];
  private final long[] holders = new long[BatchChecks.MAX_KEYS];
  private final long[] sequences = new long[BatchChecks.MAX_KEYS];

  /** The limits of each check that hold, as bits; and those whose record may be new. */
  private final int[] holding = new int[BatchChecks.MAX_KEYS];

  private final int[] isNew = new int[BatchChecks.MAX_KEYS];

  /** The units that the holder of each key says it holds, and those it has charged. */
  private final long[] units = new long[BatchChecks.MAX_KEYS];

  private final long[] charged = new long[BatchChecks.MAX_KEYS];

  /** Bytes of the further key of a limit that holds. */
  static int heldKeyBytes(int keyBytes) {
    return keyBytes + SUFFIX.length;
  }

  /**
   * Adds a hold to the call.
   *
   * @param firstKey of its check.
   */
  int begin(CheckCall call, StoreQuestion question, int firstKey) {
    int check =
        call.hold(
            question.requests, question.keep, question.lifeUs, question.holder, question.sequence);
    for (int i = 0; i < question.limits.length; i++) {
      ScriptLimit limit = question.limits[i];
      if (question.holds(i)) {
        boolean mayBeNew = (question.isNew & 1 << i) != 0;
        long cost = question.costs[i];
        call.alsoHeld(limit, cost, question.units[i], question.charged[i], mayBeNew);
      } else {
        call.also(limit, question.costs[i]);
      }
    }
    indexes[check] = call.holdCount() - 1;
    keeps[check] = question.keep;
    livesUs[check] = question.lifeUs;
    holders[check] = question.holder;
    sequences[check] = question.sequence;
    isNew[check] = question.isNew;
    System.arraycopy(question.units, 0, units, firstKey, question.limits.length);
    System.arraycopy(question.charged, 0, charged, firstKey, question.limits.length);
    return check;
  }

  /** Adds the keys of what is held, behind those of the check's limits. */
  void addKeys(int check, StoreQuestion question, StoreKeys keys) {
    holding[check] = question.holding;
    for (int i = 0; i < question.limits.length; i++) {
      if (question.holds(i)) {
        keys.copyWith(question.keys, question.first + i, SUFFIX);
      }
    }
  }

  /** Sets what a question says of what is held. */
  void restore(int check, int firstKey, StoreQuestion into) {
    into.keep(keeps[check], livesUs[check]);
    into.holder(holders[check], sequences[check], livesUs[check]);
    into.isNew = isNew[check];
    System.arraycopy(units, firstKey, into.units, 0, into.limits.length);
    System.arraycopy(charged, firstKey, into.charged, 0, into.limits.length);
  }

  /** Which limits of a hold or a peek hold, as bits. */
  int holding(int check) {
    return holding[check];
  }

  int index(int check) {
    return indexes[check];
  }

  /**
   * Whether the answer to a hold is consistent.
   *
   * @param asked requests that it asked for.
   */
  boolean isPlausible(int check, int limits, long asked, CheckReply reply, int entry) {
    long granted = reply.granted(entry);
    long kept = reply.heldKept(indexes[check]);
    int status = reply.status(entry);
    if (status == CheckReply.FOREIGN) {
      return granted == 0 && kept == 0;
    }
    boolean isApplied = true;
    for (int i = 0; i < limits; i++) {
      int became = reply.holdStatus(indexes[check], i);
      boolean holds = (holding[check] & 1 << i) != 0;
      if (holds
          ? became < CheckReply.APPLIED || became > CheckReply.FORGOTTEN
          : became != CheckReply.NOT_HELD) {
        return false;
      }
      isApplied &= !holds || became == CheckReply.APPLIED;
    }
    boolean isAny = granted > 0 || kept > 0;
    return status == (isAny ? CheckReply.GRANTED : CheckReply.REFUSED)
        && (isApplied || !isAny)
        && reply.limitIndex(entry) < limits
        && granted >= 0
        && granted <= asked
        && kept >= 0
        && kept <= (granted == asked ? keeps[check] : 0);
  }
}
