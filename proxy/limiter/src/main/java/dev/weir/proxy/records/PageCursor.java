package dev.weir.proxy.records;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The end of a page, as its caller gives it back: anybody may have made it up. */
public final class PageCursor {
  private PageCursor() {}

  /**
   * Reads a cursor.
   *
   * @return the groups of its form.
   * @throws IllegalArgumentException if it has another form.
   */
  public static MatchResult read(String cursor, Pattern form) {
    Matcher parts = form.matcher(cursor);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          JsonText.shown(cursor) + " (expected: where the page before ended)");
    }
    return parts;
  }
}
