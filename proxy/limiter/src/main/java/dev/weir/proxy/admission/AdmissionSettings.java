package dev.weir.proxy.admission;

/**
 * The sizes of the limit tables. Memory is reserved at start, used as keys come, and never more.
 *
 * @param tableKeyCount keys with used budget at one time for which the limit table has room.
 * @param ringKeyCount the same for the table of limits with rings.
 * @param ringCellCount the length of each ring, rounded up to a power of two; 0 for as long as the
 *     rules at start need.
 */
public record AdmissionSettings(int tableKeyCount, int ringKeyCount, int ringCellCount) {
  /**
   * The length of a ring, a power of two; 0 for no rings.
   *
   * @param neededCells the most that a rule at start needs.
   */
  public int ringCells(int neededCells) {
    return ringCellCount == 0 ? neededCells : Integer.highestOneBit(2 * ringCellCount - 1);
  }
}
