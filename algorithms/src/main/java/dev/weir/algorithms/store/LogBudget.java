package dev.weir.algorithms.store;

/** A sliding log: each unit counts for a window of its own, and leaves on time. */
public class LogBudget extends RunsBudget {
  private final long windowUs;

  public LogBudget(long limit, long windowUs) {
    super(limit);
    this.windowUs = positive("windowUs", windowUs);
  }

  @Override
  long spanUs() {
    return windowUs;
  }

  @Override
  long leavesAtUs(long nowUs) {
    return nowUs + windowUs;
  }

  @Override
  long presentUs(long nowUs, long newestLeavesUs) {
    return nowUs;
  }

  @Override
  long rememberedUs(long nowUs, long presentUs) {
    return nowUs - ceilDiv(windowUs, 4);
  }

  @Override
  boolean keepsNewest() {
    return false;
  }

  @Override
  public long longestLifeUs(long nowUs) {
    return windowUs;
  }

  /**
   * Records leased units as if they came at the end of their life: they count for a window after
   * that.
   */
  @Override
  public void keep(long nowUs, long units, long lifeUs) {
    charge(nowUs + lifeUs, units);
  }

  /** The newest of those that leave when the charge does or before; if they are too few, others. */
  @Override
  boolean take(long nowUs, long units, long chargedAtUs, long lifeUs) {
    final long leaves = chargedAtUs + lifeUs + windowUs;
    final long back = Math.min(units, total());
    if (back == 0 || leaves <= nowUs) {
      return false;
    }
    long untilThen = 0;
    for (int run = firstRun(); run < runCount(); run++) {
      untilThen += runLeavesUs(run) <= leaves ? runUnits(run) : 0;
    }
    final long from = Math.max(untilThen - back, 0);
    long newest = nowUs;
    long position = 0;
    for (int run = firstRun(); run < runCount(); run++) {
      final long count = runUnits(run);
      final long end = Math.min(position + count, from + back);
      takeOff(run, Math.max(end - Math.max(position, from), 0));
      position += count;
      newest = runUnits(run) > 0 ? runLeavesUs(run) : newest;
    }
    newest(newest);
    return true;
  }
}
