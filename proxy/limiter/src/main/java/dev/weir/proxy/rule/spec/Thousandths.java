package dev.weir.proxy.rule.spec;

/**
 * Numbers with up to three decimals, as counts of thousandths: {@code 1.5} is 1,500. A limit whose
 * rate, burst or cost has decimals counts in thousandths; every other limit counts in whole units.
 */
public final class Thousandths {
  /** Thousandths of one. */
  public static final int ONE = 1_000;

  /** The largest number beside one with decimals: a thousand times it can be counted everywhere. */
  public static final long MOST = 1_000_000_000;

  private static final int DECIMALS = 3;
  private static final int MAX_DIGITS = 18;

  private Thousandths() {}

  /** Whether a text is meant as a number with decimals. */
  public static boolean isDecimal(String text) {
    return text.matches("-?[0-9]*\\.[0-9.]*");
  }

  /**
   * The thousandths of a number with a decimal point.
   *
   * @throws BadValueException if it is none, or not from 0.001 to {@link #MOST}.
   */
  public static long parse(String text) {
    if (!text.matches("[0-9]+\\.[0-9]+")) {
      throw new BadValueException(text, "digits around a decimal point, such as 1.5");
    }
    int point = text.indexOf('.');
    String decimals = text.substring(point + 1);
    if (decimals.length() > DECIMALS) {
      throw new BadValueException(text, "at most three decimals");
    }
    String all = text.substring(0, point) + (decimals + "00").substring(0, DECIMALS);
    long thousandths = all.length() > MAX_DIGITS ? Long.MAX_VALUE : Long.parseLong(all);
    if (thousandths == 0 || thousandths > MOST * ONE) {
      throw new BadValueException(text, "0.001 to " + MOST + " with decimals");
    }
    return thousandths;
  }

  /** Whether a number has decimals. */
  static boolean isFraction(long thousandths) {
    return thousandths % ONE != 0;
  }

  /**
   * A number of units as people write it.
   *
   * @param unit how many of them are one: 1 or {@link #ONE}.
   */
  public static String text(long units, int unit) {
    long rest = units % unit;
    if (rest == 0) {
      return Long.toString(units / unit);
    }
    String decimals = Long.toString(ONE + rest).substring(1);
    return units / unit + "." + decimals.replaceFirst("0+$", "");
  }
}
