package dev.weir.proxy.envoy.file;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;

/**
 * A text in a file in which each {@code *} matches any text, also an empty one. The parts between
 * the stars must occur in their order, without overlap: the first part at the beginning, the last
 * at the end, each other one at its first place behind the one before it.
 *
 * <p>A match reads each byte of a value at most twice, for any value and pattern: parts are
 * searched for by the algorithm of Knuth, Morris and Pratt, and no place is tried again. Immutable;
 * any thread; a match allocates nothing.
 */
public final class WildcardPattern {
  private static final byte STAR = '*';
  private static final Pattern INNER_PART = Pattern.compile("\\*[^*]+\\*");

  private final byte[] prefix;
  private final byte[][] middle;

  /** The border lengths of each middle part (Knuth, Morris and Pratt). */
  private final int[][] borders;

  private final byte[] suffix;
  private final int minLength;

  /**
   * @param text with at least one star.
   */
  public WildcardPattern(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    List<byte[]> parts = new ArrayList<>();
    int from = 0;
    for (int i = 0; i <= bytes.length; i++) {
      if (i == bytes.length || bytes[i] == STAR) {
        byte[] part = Arrays.copyOfRange(bytes, from, i);
        boolean isAtAnEnd = parts.isEmpty() || i == bytes.length;
        if (part.length > 0 || isAtAnEnd) {
          parts.add(part);
        }
        from = i + 1;
      }
    }
    prefix = parts.get(0);
    suffix = parts.get(parts.size() - 1);
    middle = parts.subList(1, parts.size() - 1).toArray(byte[][]::new);
    borders = new int[middle.length][];
    for (int i = 0; i < middle.length; i++) {
      borders[i] = borders(middle[i]);
    }
    minLength = parts.stream().mapToInt(part -> part.length).sum();
  }

  public static boolean isOne(String text) {
    return text.indexOf(STAR) >= 0;
  }

  /** Whether matching has to search, as a part is between two stars. */
  public static boolean searches(String text) {
    return INNER_PART.matcher(text).find();
  }

  private static int[] borders(byte[] part) {
    int[] borders = new int[part.length];
    int border = 0;
    for (int i = 1; i < part.length; i++) {
      while (border > 0 && part[i] != part[border]) {
        border = borders[border - 1];
      }
      border += part[i] == part[border] ? 1 : 0;
      borders[i] = border;
    }
    return borders;
  }

  /** Whether it matches a text. */
  public boolean matches(DirectBuffer bytes, int at, int length) {
    int end = at + length - suffix.length;
    if (length < minLength
        || !Ascii.equals(bytes, at, prefix.length, prefix)
        || !Ascii.equals(bytes, end, suffix.length, suffix)) {
      return false;
    }
    int from = at + prefix.length;
    for (int i = 0; i < middle.length; i++) {
      from = endOf(middle[i], borders[i], bytes, from, end);
      if (from < 0) {
        return false;
      }
    }
    return true;
  }

  /** The end of the first occurrence of a part; negative if there is none. */
  private static int endOf(byte[] part, int[] borders, DirectBuffer bytes, int from, int end) {
    int found = 0;
    for (int i = from; i < end; i++) {
      byte next = bytes.getByte(i);
      while (found > 0 && next != part[found]) {
        found = borders[found - 1];
      }
      found += next == part[found] ? 1 : 0;
      if (found == part.length) {
        return i + 1;
      }
    }
    return -1;
  }
}
