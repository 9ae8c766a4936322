package dev.weir.algorithms;

/** How time is cut into windows, each of which starts where the one before ends. */
sealed interface Windows permits EvenWindows, CalendarWindows {
  /**
   * The end of the window that {@code timeNs} is in: the first moment that is not.
   *
   * @param timeNs from 0 to 2^59.
   */
  long endNs(long timeNs);

  /** No window is shorter. */
  long shortestNs();

  /** The end of the window whose stamp in a state word is known. */
  default long endOf(long word, int shift) {
    return endNs(Math.max(StateWord.expiryFloorNs(word, shift) - 1, 0));
  }
}
