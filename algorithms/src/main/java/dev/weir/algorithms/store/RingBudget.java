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

  /**
   * Off the sub-window of the charge, and no other. If the clock had stepped back, the charge may
   * count in a later one: then what is taken off leaves early, but what was charged with it stays
   * for longer.
   */
  @Override
  boolean take(long nowUs, long units, long chargedAtUs, long lifeUs) {
    final long leaves = leavesAtUs(chargedAtUs);
    int run = runCount() - 1;
    while (run >= 0 && runLeavesUs(run) > leaves) {
      run--;
    }
    if (run < 0 || runLeavesUs(run) != leaves || runUnits(run) == 0) {
      return false;
    }
    takeOff(run, Math.min(units, runUnits(run)));
    keepAll();
    return true;
  }
}
