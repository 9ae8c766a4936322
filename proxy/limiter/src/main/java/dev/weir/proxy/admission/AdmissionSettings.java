package dev.weir.proxy.admission;

/**
 * How much room there is for budgets. Memory is set aside at start, taken as keys come, and never
 * more.
 *
 * @param tableKeyCount keys in debt at one time that the limit table has room for.
 * @param ringKeyCount the same for limits that keep a ring per key, in a table of their own.
 * @param ringCellCount how long each of those rings may be, to be rounded up to a power of two; 0
 *     for as long as the rules at start need.
 */
public record AdmissionSettings(int tableKeyCount, int ringKeyCount, int ringCellCount) {
  /**
   * How long the rings are, a power of two; 0 for none.
   *
   * @param neededCells the most that a rule at start needs.
   */
  public int ringCells(int neededCells) {
    return ringCellCount == 0 ? neededCells : Integer.highestOneBit(2 * ringCellCount - 1);
  }
}
