package dev.weir.algorithms.store;

/**
 * A budget per window of the clock: a count of the stored window. A clock that has stepped back by
 * up to a window counts in the stored one; by more, the count moves to the window of now.
 */
public class WindowBudget extends StoredBudget {
  private final long windowUs;
  private final long phaseUs;
  private boolean isStored;
  private long storedStartUs;
  private long storedCount;
  private long startUs;
  private long count;
  private boolean isClamped;

  /**
   * @param phaseUs when a window starts, less than {@code windowUs}.
   */
  public WindowBudget(long limit, long windowUs, long phaseUs) {
    super(limit);
    this.windowUs = positive("windowUs", windowUs);
    this.phaseUs = phaseUs;
  }

  private long startOf(long nowUs) {
    return nowUs - Math.floorMod(nowUs - phaseUs, windowUs);
  }

  @Override
  public void arrive(long nowUs) {
    final long start = startOf(nowUs);
    isClamped = false;
    startUs = isStored ? storedStartUs : start;
    count = isStored ? storedCount : 0;
    if (startUs < start) {
      startUs = start;
      count = 0;
    } else if (startUs > start + windowUs) {
      startUs = start;
      isClamped = true;
    }
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
  }

  @Override
  public long available(long nowUs) {
    return Math.max(capacity() - count, 0);
  }

  @Override
  public void charge(long nowUs, long units) {
    count += units;
  }

  /** To the end of the window: used in the one in which they count. */
  @Override
  public long longestLifeUs(long nowUs) {
    return startOf(nowUs) + windowUs - nowUs;
  }

  @Override
  public boolean giveBack(long nowUs, long units, long chargedAtUs, long lifeUs, long mark) {
    if (count == 0 || startOf(chargedAtUs) != startUs) {
      return false;
    }
    count = Math.max(count - units, 0);
    return true;
  }

  @Override
  public long resetAtUs(long nowUs) {
    return count == 0 ? nowUs : startUs + windowUs;
  }

  @Override
  public long drainedUs(long nowUs, long room) {
    return count <= room ? 0 : startUs + windowUs - nowUs;
  }
}
