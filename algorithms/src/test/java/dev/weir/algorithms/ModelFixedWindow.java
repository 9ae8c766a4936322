package dev.weir.algorithms;

/** One window and its count: the latest window that admitted anything. */
final class ModelFixedWindow extends Model {
  private static final long NONE = Long.MIN_VALUE;

  private final ModelWindows windows;
  private long startNs = NONE;
  private long endNs = NONE;
  private long count;

  ModelFixedWindow(long limit, ModelWindows windows) {
    super(limit, 1);
    this.windows = windows;
  }

  /** A request from before the stored window counts in it. */
  @Override
  long current(long nowNs) {
    return nowNs < endNs ? count : 0;
  }

  @Override
  boolean passes(long cost, long nowNs) {
    return cost <= available(nowNs);
  }

  @Override
  void charge(long units, long nowNs) {
    if (nowNs >= endNs) {
      startNs = windows.startNs(nowNs);
      endNs = windows.endNs(nowNs);
      count = 0;
    }
    count += units;
  }

  @Override
  long resetAtNs(long nowNs) {
    return current(nowNs) > 0 ? endNs : nowNs;
  }

  @Override
  void refund(long units, long chargedAtNs, long nowNs) {
    if (startNs <= chargedAtNs && chargedAtNs < endNs) {
      count = Math.max(count - units, 0);
    }
  }

  @Override
  void reset() {
    startNs = NONE;
    endNs = NONE;
    count = 0;
  }

  @Override
  long edgeNs(long nowNs) {
    return windows.endNs(nowNs);
  }

  @Override
  Model sameStateUnder(Model to) {
    if (!(to instanceof ModelFixedWindow other) || !other.windows.equals(windows)) {
      return null;
    }
    other.startNs = startNs;
    other.endNs = endNs;
    other.count = count;
    return other;
  }
}
