package dev.weir.algorithms.store;

/** A bucket ring: a window of sub-windows that are counted each, and leave whole. */
public class RingBudget extends RunsBudget {
  private final long widthUs;
  private final int subWindows;

  /**
   * @param widthUs of a sub-window.
   */
  public RingBudget(long limit, long widthUs, int subWindows) {
    super(limit);
    this.widthUs = positive("widthUs", widthUs);
    this.subWindows = subWindows;
  }

  @Override
  long spanUs() {
    return widthUs * subWindows;
  }

  @Override
  long leavesAtUs(long nowUs) {
    return nowUs - Math.floorMod(nowUs, widthUs) + spanUs();
  }

  @Override
  long presentUs(long nowUs, long newestLeavesUs) {
    return Math.max(nowUs, newestLeavesUs - spanUs());
  }

  @Override
  long rememberedUs(long nowUs, long presentUs) {
    return presentUs;
  }

  @Override
  boolean keepsNewest() {
    return true;
  }

  /**
   * To the end of the sub-window, in which they count. Not longer and counted in a later one: the
   * clock of a ring is never before its newest sub-window, so what others have used would leave
   * early.
   */
  @Override
  public long longestLifeUs(long nowUs) {
    return widthUs - Math.floorMod(nowUs, widthUs);
  }

  /** Off the newest sub-window, if the charge is in it. */
  @Override
  boolean take(long nowUs, long units, long chargedAtUs, long lifeUs) {
    final int last = runCount() - 1;
    if (last < 0 || runUnits(last) == 0 || leavesAtUs(chargedAtUs) != runLeavesUs(last)) {
      return false;
    }
    takeOff(last, Math.min(units, runUnits(last)));
    keepAll();
    return true;
  }
}
