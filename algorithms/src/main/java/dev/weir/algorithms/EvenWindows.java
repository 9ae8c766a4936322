package dev.weir.algorithms;

/** Windows of one length. */
final class EvenWindows implements Windows {
  private final Divisor length;
  private final long phaseNs;

  /**
   * @param epochNs a time at which a window starts; any.
   */
  EvenWindows(long lengthNs, long epochNs) {
    length = new Divisor(lengthNs);
    phaseNs = Math.floorMod(epochNs, lengthNs) - lengthNs;
  }

  @Override
  public long endNs(long timeNs) {
    return phaseNs + length.floor(timeNs - phaseNs) + length.divisor();
  }

  @Override
  public long shortestNs() {
    return length.divisor();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EvenWindows that
        && length.divisor() == that.length.divisor()
        && phaseNs == that.phaseNs;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(length.divisor() * 31 + phaseNs);
  }
}
