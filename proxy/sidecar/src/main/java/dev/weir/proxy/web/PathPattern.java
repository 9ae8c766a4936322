package dev.weir.proxy.web;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The paths of a route, such as {@code /users/{id}/tier}: a name in braces stands for any one
 * segment. A name that ends with a slash, as in {@code /users/{id/}}, stands for one that may have
 * an encoded slash too.
 */
final class PathPattern {
  private final String text;
  private final List<String> segments;

  private PathPattern(String text, List<String> segments) {
    this.text = text;
    this.segments = segments;
  }

  static PathPattern of(String text) {
    return new PathPattern(text, List.of(split(text)));
  }

  /** The values of the names for a path's segments; null if it is another path. */
  Map<String, String> match(List<String> path) {
    if (path.size() != segments.size()) {
      return null;
    }
    Map<String, String> values = new HashMap<>();
    for (int i = 0; i < path.size(); i++) {
      String segment = segments.get(i);
      if (segment.endsWith("/}")) {
        values.put(segment.substring(1, segment.length() - 2), path.get(i));
      } else if (segment.startsWith("{") && path.get(i).indexOf('/') < 0) {
        values.put(segment.substring(1, segment.length() - 1), path.get(i));
      } else if (!segment.equals(path.get(i))) {
        return null;
      }
    }
    return values;
  }

  @Override
  public String toString() {
    return text;
  }

  private static String[] split(String path) {
    return path.equals("/") ? new String[0] : path.substring(1).split("/(?!})", -1);
  }

  /**
   * The segments of a request's path, each decoded once. What others may read as another path is
   * malformed: an empty segment, {@code .} and {@code ..}, a control character that is encoded, and
   * what is not UTF-8.
   *
   * @param path as it was sent, without a query.
   * @throws IllegalArgumentException if it is malformed.
   */
  static List<String> segments(String path) {
    if (!path.startsWith("/")) {
      throw new IllegalArgumentException("path: does not begin with a slash");
    }
    List<String> segments = new ArrayList<>();
    for (String segment : split(path)) {
      String decoded = decoded(segment);
      boolean isClear =
          !decoded.isEmpty()
              && !decoded.equals(".")
              && !decoded.equals("..")
              && decoded.chars().noneMatch(Character::isISOControl);
      if (!isClear) {
        throw unclear();
      }
      segments.add(decoded);
    }
    return segments;
  }

  /**
   * Checks a path that no route takes.
   *
   * @throws IllegalArgumentException if a segment has an encoded slash.
   */
  static void checkHasNoSlash(List<String> path) {
    if (path.stream().anyMatch(segment -> segment.indexOf('/') >= 0)) {
      throw unclear();
    }
  }

  private static IllegalArgumentException unclear() {
    return new IllegalArgumentException("path: a segment that may mean another path");
  }

  private static String decoded(String segment) {
    byte[] bytes = new byte[segment.length()];
    int length = 0;
    for (int i = 0; i < segment.length(); i++) {
      char c = segment.charAt(i);
      if (c == '%') {
        bytes[length++] = (byte) (digit(segment, i + 1) << 4 | digit(segment, i + 2));
        i += 2;
      } else if (c > ' ' && c < 0x7f) {
        bytes[length++] = (byte) c;
      } else {
        throw new IllegalArgumentException("path: a character that has to be encoded");
      }
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes, 0, length))
          .toString();
    } catch (CharacterCodingException binary) {
      throw new IllegalArgumentException("path: not UTF-8", binary);
    }
  }

  private static int digit(String text, int index) {
    int digit = index < text.length() ? Character.digit(text.charAt(index), 16) : -1;
    if (digit < 0) {
      throw new IllegalArgumentException("path: % without two hexadecimal digits");
    }
    return digit;
  }
}
