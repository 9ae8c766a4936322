package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;

/** Sizes as people write them: {@code 512B}, {@code 32KiB}, {@code 1MiB}. */
final class SizeText {
  private static final String EXPECTED = "a size such as 512B, 32KiB or 1MiB";

  private SizeText() {}

  /**
   * Bytes.
   *
   * @throws BadValueException if the text is no size, or one beyond the bounds.
   */
  static int parseBytes(String text, int least, int most) {
    int digits = 0;
    while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
      digits++;
    }
    int shift =
        switch (text.substring(digits)) {
          case "B" -> 0;
          case "KiB" -> 10;
          case "MiB" -> 20;
          default -> throw new BadValueException(text, EXPECTED);
        };
    if (digits == 0 || digits > 10) {
      throw new BadValueException(text, EXPECTED);
    }
    long bytes = Long.parseLong(text.substring(0, digits)) << shift;
    if (bytes < least || bytes > most) {
      throw new BadValueException(text, "from " + text(least) + " to " + text(most));
    }
    return (int) bytes;
  }

  private static String text(int bytes) {
    if (bytes % (1 << 20) == 0) {
      return (bytes >> 20) + "MiB";
    }
    return bytes % (1 << 10) == 0 ? (bytes >> 10) + "KiB" : bytes + "B";
  }
}
