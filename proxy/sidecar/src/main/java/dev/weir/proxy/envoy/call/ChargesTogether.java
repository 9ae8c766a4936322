package dev.weir.proxy.envoy.call;

import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.ScriptLimit;

/**
 * Those of a call's charges that the store takes together, all or none, in one check. That says no
 * more than whether; so each of them is looked at in the same call of the store, behind it.
 */
final class ChargesTogether {
  private static final int NONE = -1;

  private final int[] members = new int[CheckCall.MAX_LIMITS];
  private final long[] waitNs = new long[CheckCall.MAX_LIMITS];
  private int count;
  private boolean isTooMany;
  private boolean isAsked;
  private boolean isGranted;
  private long decidedAt;

  /** The member that has refused; {@link #NONE} if none has. */
  private int refusing;

  void clear() {
    count = 0;
    isTooMany = false;
    isAsked = false;
    isGranted = false;
    refusing = NONE;
  }

  /** Adds a charge; false if one check cannot have so many, and then it has none of them. */
  boolean add(int charge) {
    if (count == members.length) {
      isTooMany = true;
      return false;
    }
    members[count++] = charge;
    return true;
  }

  /** How many charges there are. */
  int count() {
    return count;
  }

  int charge(int member) {
    return members[member];
  }

  /** Whether one check can have all of them: few enough, and each of a budget of its own. */
  boolean areOneCheck(StoreKeys keys) {
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < i; j++) {
        if (keys.hash(members[i]) == keys.hash(members[j])) {
          return false;
        }
      }
    }
    return count > 1 && !isTooMany;
  }

  /** The limits of all of them, in their order. */
  ScriptLimit[] limits(CallCharges charges) {
    ScriptLimit[] limits = new ScriptLimit[count];
    for (int i = 0; i < count; i++) {
      limits[i] = charges.budgets(members[i]).storeLimit();
    }
    return limits;
  }

  /** One check has been asked for all of them. */
  void asked() {
    isAsked = true;
  }

  /** What the store says of them as a whole. */
  void decided(StoreDecision decision) {
    isGranted = decision.allowed();
    decidedAt = decision.decidedAtUs();
    refusing = isGranted ? NONE : decision.limitIndex();
  }

  /** What the store says of one of them, looked at by itself; false if it is none of them. */
  boolean looked(int charge, CallCharges charges, StoreDecision decision) {
    for (int i = 0; isAsked && i < count; i++) {
      if (members[i] == charge) {
        waitNs[i] = decision.retryAfterNs();
        long used = charges.budgets(charge).storeLimit().capacity() - decision.remaining();
        charges.decided(charge, decision.allowed(), used, decision.resetAfterNs(), 0);
        return true;
      }
    }
    return false;
  }

  /** Says of each what came of it: all were taken, or none and some would not have been. */
  void settle(CallCharges charges) {
    for (int i = 0; isAsked && i < count; i++) {
      int charge = members[i];
      long resetNs = charges.resetNs(charge);
      if (isGranted) {
        charges.decided(charge, true, charges.used(charge), resetNs, decidedAt);
        continue;
      }
      boolean wouldPass = charges.isGranted(charge) && i != refusing;
      if (!wouldPass && waitNs[i] > 0) {
        charges.decided(charge, false, charges.used(charge), waitNs[i], 0);
      }
      charges.notTaken(charge, wouldPass);
    }
  }
}
