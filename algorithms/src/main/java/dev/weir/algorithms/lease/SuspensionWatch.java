package dev.weir.algorithms.lease;

/**
 * Notices that the machine stood still: the monotonic clock may have, too, and then the ends of
 * lives have not moved on. One thread.
 */
public final class SuspensionWatch {
  private long lastWallNs;
  private long lastNs;
  private boolean isBegun;

  /**
   * Looks at both clocks.
   *
   * @param wallNs the time of day; a clock that is set forward looks like a machine that stood.
   * @param mostNs how much further the one may have moved than the other since the last look.
   * @return whether it has moved further.
   */
  public boolean isSuspended(long wallNs, long nowNs, long mostNs) {
    boolean isFar = isBegun && wallNs - lastWallNs - (nowNs - lastNs) > mostNs;
    isBegun = true;
    lastWallNs = wallNs;
    lastNs = nowNs;
    return isFar;
  }

  /** Nothing was to be watched for since: the next look is the first. */
  public void forget() {
    isBegun = false;
  }
}
