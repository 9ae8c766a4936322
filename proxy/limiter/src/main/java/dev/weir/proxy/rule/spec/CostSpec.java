package dev.weir.proxy.rule.spec;

import dev.weir.proxy.request.Question;

/**
 * The cost of a request as written: how many units of a limit it takes.
 *
 * @param thousandths of a unit; of a cost that requests say, those of a request that does not. At
 *     most {@link Question#MAX_COST} units, so that the sum of many that come together is still
 *     exact. 1 where {@code atEnd} says how many are held.
 * @param atEnd if it is known when the exchange ends; otherwise null.
 */
public record CostSpec(
    Kind kind, long thousandths, KeyPart header, long max, int bytesPerUnit, CostAtEnd atEnd) {
  /** The ways in which a cost can be written. */
  public enum Kind {
    NOT_GIVEN,
    FIXED,
    /** One for a call of gRPC, and one for each message that follows the first. */
    MESSAGES,
    /** The number in a header of a trusted proxy, from 1 to {@link #max}. */
    HEADER,
    /**
     * By the length of the content, rounded up, and one at least. Requests that do not tell their
     * length cost a number of units, or what they turn out to have: {@link #atEnd}.
     */
    REQUEST_BYTES,
    /** The cost that the service reports. */
    REPORTED
  }

  /** The cost of a rule that has none written: 1. */
  public static final CostSpec NOT_GIVEN = of(Kind.NOT_GIVEN, Thousandths.ONE);

  /** The cost of rules alone whose calls of gRPC pay for each message. */
  public static final CostSpec MESSAGES = of(Kind.MESSAGES, Thousandths.ONE);

  /** The same number of units for each request. */
  public static CostSpec of(long units) {
    return ofThousandths(Math.multiplyExact(units, Thousandths.ONE));
  }

  /** The same number of thousandths of a unit for each request. */
  public static CostSpec ofThousandths(long thousandths) {
    return of(Kind.FIXED, thousandths);
  }

  private static CostSpec of(Kind kind, long thousandths) {
    return new CostSpec(kind, thousandths, null, 0, 0, null);
  }

  /**
   * The cost that a header says.
   *
   * @param max the most that it may say.
   * @param otherwise units that a request takes whose header is not there or not believed.
   */
  public static CostSpec ofHeader(KeyPart header, long max, long otherwise) {
    return new CostSpec(Kind.HEADER, otherwise * Thousandths.ONE, header, max, 0, null);
  }

  /**
   * The cost by the length of the content.
   *
   * @param bytesPerUnit 1 KiB or more.
   * @param otherwise units that a request takes whose length is not known.
   */
  public static CostSpec ofRequestBytes(int bytesPerUnit, long otherwise) {
    return new CostSpec(
        Kind.REQUEST_BYTES, otherwise * Thousandths.ONE, null, 0, bytesPerUnit, null);
  }

  /**
   * The cost by the length of the content, which is measured if the request does not tell it.
   *
   * @param bytesPerUnit 1 KiB or more.
   * @param atEnd the same length, measured.
   */
  public static CostSpec ofRequestBytes(int bytesPerUnit, CostAtEnd atEnd) {
    return new CostSpec(Kind.REQUEST_BYTES, Thousandths.ONE, null, 0, bytesPerUnit, atEnd);
  }

  /** The cost that the service reports. */
  public static CostSpec ofReported(CostAtEnd atEnd) {
    return new CostSpec(Kind.REPORTED, Thousandths.ONE, null, 0, 0, atEnd);
  }

  /** Whether it is known when the exchange ends, of some requests or all. */
  public boolean isAtEnd() {
    return atEnd != null;
  }

  /** Whether each request says its own. */
  public boolean isOfRequest() {
    return kind == Kind.HEADER || kind == Kind.REQUEST_BYTES;
  }

  /** Whether it has decimals, which only token buckets can count. */
  boolean isFraction() {
    return Thousandths.isFraction(thousandths);
  }

  /**
   * The cost in units of a limit; what is held of one that is not known yet.
   *
   * @param unit how many of the limit's units are one.
   */
  long units(long capacity, int unit) {
    return isAtEnd() ? atEnd.firstReserve(capacity, unit) : thousandths / (Thousandths.ONE / unit);
  }

  /** Whether each message of a stream of gRPC is asked for, behind the first. */
  boolean countsMessages() {
    return kind == Kind.MESSAGES;
  }

  /** The cost as a file has it. */
  String text() {
    return switch (kind) {
      case MESSAGES -> "messages";
      case HEADER -> header + " up to " + max + ", otherwise " + standard();
      case REQUEST_BYTES ->
          bytesPerUnit + "B a unit, otherwise " + (isAtEnd() ? atEnd.toString() : standard());
      case REPORTED -> atEnd.toString();
      case NOT_GIVEN, FIXED -> standard();
    };
  }

  /** The fixed part of it, as a file has it. */
  String standard() {
    return Thousandths.text(thousandths, Thousandths.ONE);
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
      case FIXED, HEADER, REQUEST_BYTES, REPORTED -> text();
    };
  }
}
