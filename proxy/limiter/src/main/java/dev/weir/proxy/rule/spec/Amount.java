package dev.weir.proxy.rule.spec;

/**
 * How much somebody has of one limit: a rate, a number of requests at a time, or all there is. The
 * limit's algorithm, window and key are not part of it.
 *
 * @param rate null of {@link #UNLIMITED}.
 * @param burstThousandths of a rate, how much may pass at once; 0 if not given.
 */
public record Amount(Rate rate, long burstThousandths) {
  /** No limit. */
  public static final Amount UNLIMITED = new Amount(null, 0);

  /** The forms in which an amount may be written. */
  public static final String EXPECTED =
      "a rate such as 600/1m, a number at a time such as 20, or unlimited";

  private static final String UNLIMITED_TEXT = "unlimited";

  /**
   * Reads an amount without a burst: {@code 600/1m}, {@code 20} or {@code unlimited}.
   *
   * @throws BadValueException if it is none.
   */
  public static Amount parse(String text) {
    if (text.equals(UNLIMITED_TEXT)) {
      return UNLIMITED;
    }
    if (text.indexOf('/') >= 1) {
      return new Amount(Rate.parse(text), 0);
    }
    if (!text.matches("[0-9]{1,18}")) {
      throw new BadValueException(text, EXPECTED);
    }
    long count = Long.parseLong(text);
    if (count < 1 || count > BudgetSpec.MAX_CONCURRENCY) {
      throw new BadValueException(text, "1 to " + BudgetSpec.MAX_CONCURRENCY + " at a time");
    }
    return new Amount(Rate.atATime(count), 0);
  }

  /**
   * This rate with a burst: {@code 50k}, {@code 1.5}.
   *
   * @throws BadValueException if it is none, or this is no rate.
   */
  public Amount withBurst(String text) {
    if (rate == null || rate.isAtATime()) {
      throw new BadValueException(text, "nothing, as only a rate has a burst");
    }
    String digits = Rate.digits(text);
    if (Thousandths.isDecimal(digits)) {
      return new Amount(rate, Thousandths.parse(digits));
    }
    if (!digits.matches("[1-9][0-9]{0,14}")) {
      throw new BadValueException(text, "1 to " + Rate.MAX_COUNT);
    }
    return new Amount(rate, Long.parseLong(digits) * Thousandths.ONE);
  }

  /** Whether there is no limit. */
  public boolean isUnlimited() {
    return rate == null;
  }

  /** Whether one of its numbers has decimals. */
  boolean isFraction() {
    return rate != null && (rate.unit() != 1 || Thousandths.isFraction(burstThousandths));
  }

  /** This amount times a factor: at least one, and at most what a limit may have. */
  public Amount times(long factorThousandths) {
    return rate == null
        ? this
        : new Amount(
            rate.times(factorThousandths),
            burstThousandths == 0 ? 0 : Rate.times(burstThousandths, factorThousandths));
  }

  /** Whether it is so many requests at a time. */
  public boolean isAtATime() {
    return rate != null && rate.isAtATime();
  }

  /** The amount without its burst, as {@link #parse} reads it. */
  public String text() {
    if (rate == null) {
      return UNLIMITED_TEXT;
    }
    return rate.isAtATime() ? Long.toString(rate.count()) : rate.toString();
  }

  /** The burst as {@link #withBurst} reads it; null if not given. */
  public String burstText() {
    return burstThousandths == 0 ? null : Thousandths.text(burstThousandths, Thousandths.ONE);
  }

  /** The amount as it is written in a file. */
  @Override
  public String toString() {
    return burstThousandths == 0 ? text() : "{limit: %s, burst: %s}".formatted(text(), burstText());
  }
}
