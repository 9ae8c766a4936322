package dev.weir.proxy.admission.hold;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.store.StoreDecision;

/**
 * The units of one request under the limits of one key in the store: the request waits for them,
 * holds them, and is charged its costs when it ends. Belongs to an event loop; reused.
 */
public final class StoreHold {
  /** Receives the result, once, never within {@link HoldKeeper#ask}. */
  public interface Asker {
    /**
     * @param check as it was asked with.
     * @param decision valid during the call only.
     */
    void held(int check, boolean isGranted, StoreDecision decision);

    /** There is no decision. */
    void notHeld(int check, StoreFault fault);
  }

  /**
   * The state of the units.
   *
   * <pre>
   * WAITING  -> HELD      granted
   * WAITING  -> NOT_HELD  refused, or no decision in time
   * </pre>
   */
  enum State {
    WAITING,
    HELD,
    NOT_HELD
  }

  /** The next one of the same request; null if there is none. */
  public StoreHold nextOfRequest;

  /** The place of the key's first limit among the charges of the request. */
  public int firstCharge;

  /** The next one that waits for the same key. */
  StoreHold next;

  KeyHolder key;
  State state;

  /** Under which id it holds units: {@link Holder#generation}. */
  int generation;

  Asker asker;
  int check;
  long deadlineNs;

  /** When its units were granted, in the server's time, and by which server. */
  long decidedAtUs;

  long server;

  /** Whether the request ended while it was waiting, and whether it did not pass. */
  boolean isEnded;

  boolean isUndone;

  /** Units by limit: the reserve where they are held, else what is charged at once. */
  final long[] costs = new long[Holder.MAX_LIMITS];

  /** The cost of the request in the end, by limit that holds. */
  final long[] finalCosts = new long[Holder.MAX_LIMITS];

  void begin(KeyHolder of) {
    key = of;
    state = State.NOT_HELD;
    isEnded = false;
    isUndone = false;
    nextOfRequest = null;
    next = null;
  }

  /** The limits of the key. */
  public BudgetGroup group() {
    return key.group();
  }

  /** Sets what the request takes of a limit: 1 or more units. */
  public void cost(int limit, long units) {
    costs[limit] = units;
  }

  /** The units that the request takes of a limit. */
  public long cost(int limit) {
    return costs[limit];
  }

  /** Units of a limit of the key that are in hand. */
  public long inHand(int limit) {
    return key.inHand(limit);
  }

  /** The limit of the key that the store's last figures were about. */
  public int notedLimit() {
    return key.notedLimit();
  }

  /** Units of that limit that the store had left then, and those in hand. */
  public long remaining() {
    return key.remaining();
  }

  /** When all units of that limit are back, by the loop's clock. */
  public long resetAtNs() {
    return key.resetAtNs();
  }

  /** Sets what the request has cost under a limit that holds, 0 or more units. */
  public void finalCost(int limit, long units) {
    finalCosts[limit] = units;
  }

  boolean isSameCost(StoreHold other, int limitCount) {
    boolean isSame = true;
    for (int i = 0; i < limitCount; i++) {
      isSame &= costs[i] == other.costs[i];
    }
    return isSame;
  }
}
