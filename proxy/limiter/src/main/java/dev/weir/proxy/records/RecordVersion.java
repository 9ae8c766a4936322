package dev.weir.proxy.records;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The version of a set of records, and the ETag of a record: that of the set in which it was
 * written last. Two sets that got one number, because a failover lost the first of them, differ in
 * their tags.
 *
 * @param number from 1, one more than that of the version before; 0 for none.
 * @param tag 32 random bits.
 */
public record RecordVersion(long number, int tag) {
  /** The version of what was never written. */
  public static final RecordVersion NONE = new RecordVersion(0, 0);

  private static final Pattern TEXT = Pattern.compile("(0|[1-9][0-9]{0,15})-([0-9a-f]{8})");

  /**
   * Reads the text of {@link #toString}.
   *
   * @throws IllegalArgumentException if it is none.
   */
  public static RecordVersion parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" (expected: a version, such as 17-9f3a21bc)");
    }
    return new RecordVersion(
        Long.parseLong(parts.group(1)), Integer.parseUnsignedInt(parts.group(2), 16));
  }

  /** Its text, such as {@code 17-9f3a21bc}: an ETag without quotation marks. */
  @Override
  public String toString() {
    return String.format("%d-%08x", number, tag);
  }
}
