package dev.weir.proxy.admission;

import dev.weir.proxy.request.Verdict;
import java.util.Arrays;

/**
 * The holdings of one event loop, made when needed and reused. A name is a place and its
 * generation: so who ends a holding twice finds nothing, and never another request's.
 */
final class HoldingPool {
  private static final int FIRST_COUNT = 64;
  private static final int PLACE_BITS = 14;

  /** Requests of one event loop that may hold units at one time. */
  static final int MAX_COUNT = 1 << PLACE_BITS;

  private static final int PLACE_MASK = MAX_COUNT - 1;

  /** Names have a bit to spare, by which those of a candidate's holdings are told. */
  static final int MAX_NAME = Integer.MAX_VALUE >>> 1;

  private final int maxCount;
  private Holding[] holdings = {};

  /** The names of all holdings, and those of the free ones. */
  private int[] names = {};

  private int[] free = {};
  private int madeCount;
  private int freeCount;

  HoldingPool() {
    this(MAX_COUNT);
  }

  HoldingPool(int maxCount) {
    this.maxCount = maxCount;
  }

  /** The name of an empty holding, 0 or more; {@link Verdict#NOTHING_HELD} if none is free. */
  int take() {
    if (freeCount == 0 && !make()) {
      return Verdict.NOTHING_HELD;
    }
    int name = free[--freeCount];
    holdings[name & PLACE_MASK].clear();
    return name;
  }

  private boolean make() {
    if (madeCount == maxCount) {
      return false;
    }
    if (madeCount == holdings.length) {
      int count = Math.min(maxCount, Math.max(FIRST_COUNT, 2 * madeCount));
      holdings = Arrays.copyOf(holdings, count);
      names = Arrays.copyOf(names, count);
      free = Arrays.copyOf(free, count);
    }
    holdings[madeCount] = new Holding();
    names[madeCount] = madeCount;
    free[freeCount++] = madeCount++;
    return true;
  }

  /** The holding of a name; null if it has been ended. */
  Holding get(int name) {
    int place = name & PLACE_MASK;
    return place < madeCount && names[place] == name ? holdings[place] : null;
  }

  /** The place of a name, from 0. */
  static int place(int name) {
    return name & PLACE_MASK;
  }

  /** Ends a name that {@link #get} knows. */
  void leave(int name) {
    int place = name & PLACE_MASK;
    names[place] = name + MAX_COUNT & MAX_NAME;
    free[freeCount++] = names[place];
  }

  /** Holdings in use. */
  int takenCount() {
    return madeCount - freeCount;
  }
}
