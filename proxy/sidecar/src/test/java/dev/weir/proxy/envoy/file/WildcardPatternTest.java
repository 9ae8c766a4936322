package dev.weir.proxy.envoy.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which texts a pattern with stars stands for. */
class WildcardPatternTest {
  private static boolean matches(String pattern, String text) {
    byte[] bytes = ("before" + text + "behind").getBytes(StandardCharsets.UTF_8);
    int length = text.getBytes(StandardCharsets.UTF_8).length;
    return new WildcardPattern(pattern).matches(new UnsafeBuffer(bytes), 6, length);
  }

  /** What the regular expression says that has {@code .*} for each star. */
  @Test
  void standsForWhatARegularExpressionWouldMatch() {
    Random random = new Random(8);
    int matched = 0;
    for (int i = 0; i < 200_000; i++) {
      String pattern = text(random, "ab*", 8) + "*" + text(random, "ab*", 3);
      String text = text(random, "ab", 12);
      boolean expected = Pattern.matches(pattern.replaceAll("\\*+", ".*"), text);
      assertEquals(expected, matches(pattern, text), pattern + " of " + text);
      matched += expected ? 1 : 0;
    }
    assertTrue(matched > 10_000 && matched < 190_000, matched + " matched");
  }

  private static String text(Random random, String of, int most) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      text.append(of.charAt(random.nextInt(of.length())));
    }
    return text.toString();
  }

  @Test
  void standsForTextsOfAnyLanguage() {
    assertTrue(matches("ä*ö*", "äßö"));
    assertFalse(matches("ä*ö", "äß"));
    assertTrue(matches("*", ""));
  }

  /** Trying each place anew would take 10^11 steps or more, and trying all splits far more. */
  @Test
  @Timeout(60)
  void takesNoLongerForValuesThatNearlyMatch() {
    String half = "a".repeat(1 << 19);
    assertFalse(matches("*" + half + "b*", half + half + half));
    assertFalse(matches("*a".repeat(1 << 18) + "*b", half + half));
    assertTrue(matches("*" + half + "b*", half + half + "b"));
  }
}
