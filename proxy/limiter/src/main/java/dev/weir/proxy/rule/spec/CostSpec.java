package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.Question;

/**
 * The cost of a request as written: how many units of a limit it takes.
 *
 * @param units 1 to {@link Question#MAX_COST}, so that the sum of many that come together is still
 *     exact.
 */
public record CostSpec(Kind kind, long units) {
  /** The ways in which a cost can be written. */
  public enum Kind {
    NOT_GIVEN,
    FIXED,
    /** One for a call of gRPC, and one for each message that follows the first. */
    MESSAGES
  }

  /** The cost of a rule that has none written: 1. */
  public static final CostSpec NOT_GIVEN = new CostSpec(Kind.NOT_GIVEN, 1);

  /** The cost of rules alone whose calls of gRPC pay for each message. */
  public static final CostSpec MESSAGES = new CostSpec(Kind.MESSAGES, 1);

  /** The same number of units for each request. */
  public static CostSpec of(long units) {
    return new CostSpec(Kind.FIXED, units);
  }

  /** Whether each message of a stream of gRPC is asked for, behind the first. */
  boolean countsMessages() {
    return kind == Kind.MESSAGES;
  }

  /** The cost as a file has it. */
  String text() {
    return kind == Kind.MESSAGES ? "messages" : Long.toString(units);
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
