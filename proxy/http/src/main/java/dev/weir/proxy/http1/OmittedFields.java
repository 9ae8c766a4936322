package dev.weir.proxy.http1;

/** The fields of a head that are not passed on as they came, by index. */
final class OmittedFields {
  private final int[] indices;
  private int count;

  /**
   * @param maxFieldCount the most fields in a head.
   */
  OmittedFields(int maxFieldCount) {
    indices = new int[maxFieldCount];
  }

  void reset() {
    count = 0;
  }

  /** Leaves a field out; nothing changes if it is left out already. */
  void add(int fieldIndex) {
    if (!contains(fieldIndex)) {
      indices[count++] = fieldIndex;
    }
  }

  boolean contains(int fieldIndex) {
    for (int i = 0; i < count; i++) {
      if (indices[i] == fieldIndex) {
        return true;
      }
    }
    return false;
  }

  boolean isEmpty() {
    return count == 0;
  }
}
