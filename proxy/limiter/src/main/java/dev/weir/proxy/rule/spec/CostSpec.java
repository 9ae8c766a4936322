package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.Question;

/**
 * The cost of a request as written: how many units of a limit it takes.
 *
 * @param thousandths of a unit. At most {@link Question#MAX_COST} units, so that the sum of many
 *     that come together is still exact.
 */
public record CostSpec(Kind kind, long thousandths) {
  /** The ways in which a cost can be written. */
  public enum Kind {
    NOT_GIVEN,
    FIXED,
    /** One for a call of gRPC, and one for each message that follows the first. */
    MESSAGES
  }

  /** The cost of a rule that has none written: 1. */
  public static final CostSpec NOT_GIVEN = new CostSpec(Kind.NOT_GIVEN, Thousandths.ONE);

  /** The cost of rules alone whose calls of gRPC pay for each message. */
  public static final CostSpec MESSAGES = new CostSpec(Kind.MESSAGES, Thousandths.ONE);

  /** The same number of units for each request. */
  public static CostSpec of(long units) {
    return ofThousandths(Math.multiplyExact(units, Thousandths.ONE));
  }

  /** The same number of thousandths of a unit for each request. */
  public static CostSpec ofThousandths(long thousandths) {
    return new CostSpec(Kind.FIXED, thousandths);
  }

  /** Whether it has decimals, which only token buckets can count. */
  boolean isFraction() {
    return Thousandths.isFraction(thousandths);
  }

  /**
   * The cost in units of a limit.
   *
   * @param unit how many of the limit's units are one.
   */
  long units(int unit) {
    return thousandths / (Thousandths.ONE / unit);
  }

  /** Whether each message of a stream of gRPC is asked for, behind the first. */
  boolean countsMessages() {
    return kind == Kind.MESSAGES;
  }

  /** The cost as a file has it. */
  String text() {
    return kind == Kind.MESSAGES ? "messages" : Thousandths.text(thousandths, Thousandths.ONE);
  }

  /**
   * The cost as it stands in the text of a rule that sidecars compare, also with those of earlier
   * versions, which had a number for each.
   */
  @Override
  public String toString() {
    return switch (kind) {
      case NOT_GIVEN -> "0";
      case MESSAGES -> Long.toString(Long.MIN_VALUE);
      case FIXED -> text();
    };
  }
}
