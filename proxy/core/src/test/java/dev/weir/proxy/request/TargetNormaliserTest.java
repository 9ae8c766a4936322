package dev.weir.proxy.request;

import static dev.weir.proxy.request.TargetNormaliser.ALREADY_NORMAL;
import static dev.weir.proxy.request.TargetNormaliser.AMBIGUOUS;
import static dev.weir.proxy.request.TargetNormaliser.MALFORMED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TargetNormaliserTest {
  private static final int RANDOM_PATHS = 100_000;

  private static final String[] PIECES = {
    "/",
    "/",
    "/",
    "//",
    ".",
    "..",
    "/.",
    "/..",
    "/../",
    "/./",
    "a",
    "b",
    "Z",
    "-",
    "~",
    "%61",
    "%7e",
    "%7E",
    "%2e",
    "%2E",
    "%2E%2e",
    "%3a",
    "%3A",
    "%25",
    "%20",
    "%ff",
    "%C3%A9",
    ";",
    ";x=1",
    "..;",
    ".well-known",
    "...",
    "$",
    "+",
    "|",
    "longer-than-a-word",
    "0123456"
  };
  private static final String[] BAD_PIECES = {
    "%2f", "%3b", "%5C", "%00", "\\", "%", "%g0", "%0", "#", "?", " ", "\t", "\u007f", "\u0080",
    "\u00ff"
  };

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/a",
        "/a/",
        "/a/b.c/d..e/..f",
        "/.well-known/x",
        "/...",
        "/%C3%A9",
        "/a%20b",
        "/a%3Ab",
        "/;x=1",
        "/a;x=1/b",
        "/a;..",
        "/%25%32",
        "/|[]{}^`\"<>",
        "/a:b@c!$&'()*+,="
      })
  void leavesANormalPathAlone(String path) {
    if (path.equals("/%25%32")) {
      // The second digit of an encoded percent sign is not itself part of an encoding.
      assertEquals("/%252", normalise(path));
      return;
    }
    assertEquals(ALREADY_NORMAL, result(path));
  }

  @ParameterizedTest
  @CsvSource({
    "/a//b, /a/b",
    "//, /",
    "//a, /a",
    "/a//, /a/",
    "/a/./b, /a/b",
    "/., /",
    "/./, /",
    "/a/., /a/",
    "/a/../b, /b",
    "/.., /",
    "/../../a, /a",
    "/a/.., /",
    "/a/b/.., /a/",
    "/a/b/../, /a/",
    "/a//../b, /b",
    "/a;x=1/../b, /b",
    "/%61, /a",
    "/%7E%2D%5F%41, /~-_A",
    "/%2e%2E/a, /a",
    "/a/%2E/b, /a/b",
    "/.%2e/a, /a",
    "/%2a, /%2A",
    "/%c3%a9, /%C3%A9",
    "/%2525, /%2525",
    "/%252e%252e/a, /%252e%252e/a",
    "/aaaaaaaaaaaaaaaaaaaa/bbbbbbbbbbbbbbbbbbbbbb/../c, /aaaaaaaaaaaaaaaaaaaa/c"
  })
  void writesTheOneSpelling(String path, String normal) {
    assertEquals(normal, normalise(path));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a%2Fb",
        "/a%2fb",
        "/a%3Bb",
        "/a%3b",
        "/..%3B/b",
        "/a%5Cb",
        "/a%5cb",
        "/a%00",
        "/a\\b",
        "/..;/a",
        "/a/..;x=1",
        "/.;/a",
        "/%2e%2e;/a",
        "/.%2E;x"
      })
  void refusesWhatOriginsDisagreeOn(String path) {
    assertEquals(AMBIGUOUS, result(path));
    assertEquals(RefusalReason.AMBIGUOUS_PATH, TargetNormaliser.refusal(AMBIGUOUS));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "a/b",
        "*",
        "/%",
        "/%4",
        "/%4g",
        "/%g4",
        "/%-1",
        "/a b",
        "/a\tb",
        "/\u0000",
        "/a\u007f",
        "/\u0080",
        "/\u00ff",
        "/a#b",
        "/a?b",
        "/%%41",
        "http://x/"
      })
  void refusesWhatIsNoPath(String path) {
    assertEquals(MALFORMED, result(path));
    assertEquals(RefusalReason.MALFORMED_TARGET, TargetNormaliser.refusal(MALFORMED));
  }

  @Test
  void findsEveryBadByteAtEveryPlace() {
    for (int length = 1; length <= 20; length++) {
      for (int at = 1; at < length; at++) {
        for (int b = 0; b < 256; b++) {
          byte[] path = "/".concat("z".repeat(length - 1)).getBytes(StandardCharsets.US_ASCII);
          path[at] = (byte) b;
          int expected =
              b == '\\'
                  ? AMBIGUOUS
                  : b <= ' ' || b >= 0x7F || "#?%".indexOf(b) >= 0 ? MALFORMED : 0;
          if (b == '/' && at == 1) {
            expected = length - 1; // merged with the first
          } else if (b == '.' && at == 1 && length == 2) {
            expected = 1;
          }
          assertEquals(expected, result(path), () -> new String(path, StandardCharsets.ISO_8859_1));
        }
      }
    }
  }

  @Test
  void agreesWithASlowModelAndItsOutputIsAFixedPoint() {
    Random random = new Random(42);
    int refused = 0;
    int changed = 0;
    for (int i = 0; i < RANDOM_PATHS; i++) {
      String path = randomPath(random);
      String expected = model(path);
      String actual = normalise(path);
      assertEquals(expected, actual, path);
      if (actual.startsWith("/")) {
        assertEquals(ALREADY_NORMAL, result(actual), actual);
        assertTrue(actual.length() <= path.length(), path);
        changed += actual.equals(path) ? 0 : 1;
      } else {
        refused++;
      }
    }
    assertTrue(refused > 10_000 && changed > 10_000, refused + " " + changed);
  }

  @Test
  void worksInPlace() {
    Random random = new Random(43);
    for (int i = 0; i < RANDOM_PATHS; i++) {
      String path = randomPath(random);
      byte[] bytes = ("xy" + path + "zz").getBytes(StandardCharsets.ISO_8859_1);
      UnsafeBuffer buffer = new UnsafeBuffer(bytes);
      int result = TargetNormaliser.normalise(buffer, 2, path.length(), buffer, 2);
      if (result >= 0) {
        int length = result == ALREADY_NORMAL ? path.length() : result;
        assertEquals(
            normalise(path), new String(bytes, 2, length, StandardCharsets.ISO_8859_1), path);
      }
      assertEquals("zz", new String(bytes, bytes.length - 2, 2, StandardCharsets.ISO_8859_1));
    }
  }

  @Test
  void saysNothingOfPathsThatPass() {
    assertNull(TargetNormaliser.refusal(ALREADY_NORMAL));
    assertNull(TargetNormaliser.refusal(7));
  }

  @Test
  void leavesTheQueryAloneButForWhatCanBeInNone() {
    for (String query : List.of("", "a=1", "a=%zz&%2F..//?b=/../\\", "0123456789012345678901")) {
      assertTrue(isQuery(query), query);
    }
    for (String bad : List.of(" ", "#", "\u0000", "\u007f", "\u0080", "\r", "\n")) {
      for (int at = 0; at < 20; at++) {
        assertFalse(isQuery("a".repeat(at) + bad + "a".repeat(19 - at)), bad + at);
      }
    }
  }

  private static String randomPath(Random random) {
    StringBuilder path = new StringBuilder(random.nextInt(50) == 0 ? "" : "/");
    int pieces = random.nextInt(9);
    for (int i = 0; i < pieces; i++) {
      String[] from = random.nextInt(60) == 0 ? BAD_PIECES : PIECES;
      path.append(from[random.nextInt(from.length)]);
    }
    return path.toString();
  }

  /** By the book, on lists of strings; which of two reasons for refusal comes first is the left. */
  private static String model(String path) {
    if (!path.startsWith("/")) {
      return "malformed";
    }
    List<String> out = new ArrayList<>();
    String[] segments = path.substring(1).split("/", -1);
    boolean trailing = true;
    for (int s = 0; s < segments.length; s++) {
      StringBuilder decoded = new StringBuilder();
      String segment = segments[s];
      for (int i = 0; i < segment.length(); i++) {
        char c = segment.charAt(i);
        if (c == '\\') {
          return "ambiguous";
        }
        if (c <= ' ' || c >= 0x7F || c == '#' || c == '?') {
          return "malformed";
        }
        if (c != '%') {
          decoded.append(c);
          continue;
        }
        String rest = segment.substring(i + 1);
        if (!rest.matches("(?s)[0-9a-fA-F]{2}.*")) {
          return "malformed";
        }
        String hex = rest.substring(0, 2).toUpperCase(Locale.ROOT);
        if (List.of("00", "2F", "3B", "5C").contains(hex)) {
          return "ambiguous";
        }
        char octet = (char) Integer.parseInt(hex, 16);
        decoded.append(String.valueOf(octet).matches("[A-Za-z0-9._~-]") ? octet + "" : "%" + hex);
        i += 2;
      }
      String text = decoded.toString();
      if (text.matches("\\.\\.?;.*")) {
        return "ambiguous";
      }
      trailing = text.isEmpty() || text.equals(".") || text.equals("..");
      if (text.equals("..")) {
        if (!out.isEmpty()) {
          out.remove(out.size() - 1);
        }
      } else if (!trailing) {
        out.add(text);
      }
    }
    return "/" + String.join("/", out) + (trailing && !out.isEmpty() ? "/" : "");
  }

  private static boolean isQuery(String query) {
    byte[] bytes = query.getBytes(StandardCharsets.ISO_8859_1);
    return TargetNormaliser.isQuery(new UnsafeBuffer(bytes), 0, bytes.length);
  }

  private static int result(String path) {
    return result(path.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static int result(byte[] path) {
    return TargetNormaliser.normalise(
        new UnsafeBuffer(path), 0, path.length, new UnsafeBuffer(new byte[path.length]), 0);
  }

  private static String normalise(String path) {
    byte[] bytes = path.getBytes(StandardCharsets.ISO_8859_1);
    byte[] out = new byte[bytes.length];
    int result =
        TargetNormaliser.normalise(
            new UnsafeBuffer(bytes), 0, bytes.length, new UnsafeBuffer(out), 0);
    return switch (result) {
      case ALREADY_NORMAL -> path;
      case MALFORMED -> "malformed";
      case AMBIGUOUS -> "ambiguous";
      default -> new String(out, 0, result, StandardCharsets.ISO_8859_1);
    };
  }
}
