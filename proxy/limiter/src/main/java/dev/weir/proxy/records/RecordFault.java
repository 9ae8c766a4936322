package dev.weir.proxy.records;

/**
 * A fault of a record.
 *
 * @param pointer to the value, by RFC 6901; empty for the whole document.
 * @param line from 1; 0 if it is not known.
 * @param found the value, on one line and cut if it is long.
 * @param expected completes the sentence "expected: ...".
 */
public record RecordFault(String pointer, int line, String found, String expected) {
  /** Its text, as {@code /limits/rpm: 0/1m (expected: 1 or more per window)}. */
  @Override
  public String toString() {
    String where = pointer.isEmpty() ? "" : pointer + ": ";
    return where + found + " (expected: " + expected + ")";
  }
}
