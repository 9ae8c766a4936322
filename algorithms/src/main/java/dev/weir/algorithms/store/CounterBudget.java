package dev.weir.algorithms.store;

/**
 * A sliding counter: the count of the stored window, and that of the one before by the share of it
 * that the sliding window still covers.
 */
public class CounterBudget extends StoredBudget {
  private final long windowUs;
  private boolean isStored;
  private long storedStartUs;
  private long storedCount;
  private long storedBefore;
  private long startUs;
  private long count;
  private long before;
  private long restUs;
  private boolean isClamped;

  /**
   * @param limit {@code limit * windowUs} is below 2^53.
   */
  public CounterBudget(long limit, long windowUs) {
    super(limit);
    this.windowUs = positive("windowUs", windowUs);
  }

  private long startOf(long nowUs) {
    return nowUs - Math.floorMod(nowUs, windowUs);
  }

  @Override
  public void arrive(long nowUs) {
    final long start = startOf(nowUs);
    isClamped = false;
    startUs = isStored ? storedStartUs : start;
    count = isStored ? storedCount : 0;
    before = isStored ? storedBefore : 0;
    if (startUs < start) {
      before = startUs == start - windowUs ? count : 0;
      count = 0;
      startUs = start;
    } else if (startUs > start + windowUs) {
      startUs = start;
      isClamped = true;
    }
    restUs = startUs > nowUs ? windowUs : startUs + windowUs - nowUs;
  }

  @Override
  public boolean isClamped() {
    return isClamped;
  }

  @Override
  public void commit(long nowUs) {
    isStored = true;
    storedStartUs = startUs;
    storedCount = count;
    storedBefore = before;
  }

  @Override
  public long available(long nowUs) {
    return Math.max(capacity() - count - ceilDiv(before * restUs, windowUs), 0);
  }

  @Override
  public void charge(long nowUs, long units) {
    count += units;
  }

  /** To the end of the window: the weight of the one before only falls until then. */
  @Override
  public long longestLifeUs(long nowUs) {
    return startOf(nowUs) + windowUs - nowUs;
  }

  @Override
  public boolean giveBack(long nowUs, long units, long chargedAtUs, long lifeUs, long mark) {
    final long start = startOf(chargedAtUs);
    if (start == startUs && count > 0) {
      count = Math.max(count - units, 0);
      return true;
    }
    if (start == startUs - windowUs && before > 0) {
      before = Math.max(before - units, 0);
      return true;
    }
    return false;
  }

  @Override
  public long resetAtUs(long nowUs) {
    if (count > 0) {
      return startUs + 2 * windowUs;
    }
    return before > 0 ? startUs + windowUs : nowUs;
  }

  /** How long before the end of its weight a count weighs no more than {@code room}. */
  private long weightlessUs(long of, long room) {
    return of <= room ? windowUs : room * windowUs / of;
  }

  @Override
  public long drainedUs(long nowUs, long room) {
    final long end = startUs + windowUs;
    final long at =
        count <= room
            ? end - weightlessUs(before, room - count)
            : end + windowUs - weightlessUs(count, room);
    return Math.max(at - nowUs, 0);
  }
}
