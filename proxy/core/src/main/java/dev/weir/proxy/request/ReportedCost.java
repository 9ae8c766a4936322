package dev.weir.proxy.request;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;

/**
 * One cost of a request that is known only when the exchange ends: where it is read, and how it is
 * counted. Immutable; two that read the same are equal.
 */
public final class ReportedCost {
  /** The part of an exchange in which a cost is read. */
  public enum Kind {
    /** The response's status: one unit if it is one of those listed, else none. */
    STATUS,

    /** A field of the response's head, which has a whole number of units. */
    HEADER,

    /** A field of the response's trailer section, which has a whole number of units. */
    TRAILER,

    /** The last number of a JSON member in the response's content. */
    BODY_NUMBER,

    /** The length of the response's content. */
    RESPONSE_BYTES,

    /** The length of the request's content. */
    REQUEST_BYTES
  }

  private final Kind kind;
  private final FieldName field;
  private final String member;
  private final byte[][] path;
  private final BitSet statuses = new BitSet();
  private final BitSet calls = new BitSet();
  private final int bytesPerUnit;

  private ReportedCost(Kind kind, FieldName field, String member, int bytesPerUnit) {
    this.kind = kind;
    this.field = field;
    this.member = member;
    this.path = member == null ? null : path(member);
    this.bytesPerUnit = bytesPerUnit;
  }

  /**
   * A unit for each response that has one of these statuses.
   *
   * @param statuses of HTTP, from 100 to 599.
   * @param calls statuses of gRPC, for calls.
   */
  public static ReportedCost ofStatus(Collection<Integer> statuses, Collection<GrpcStatus> calls) {
    ReportedCost cost = new ReportedCost(Kind.STATUS, null, null, 0);
    statuses.forEach(cost.statuses::set);
    calls.forEach(status -> cost.calls.set(status.code()));
    return cost;
  }

  /** The number of units in a field of the response's head. */
  public static ReportedCost ofHeader(FieldName field) {
    return new ReportedCost(Kind.HEADER, field, null, 0);
  }

  /** The number of units in a field of the response's trailer section. */
  public static ReportedCost ofTrailer(FieldName field) {
    return new ReportedCost(Kind.TRAILER, field, null, 0);
  }

  /**
   * The last number that a JSON member has in the response's content.
   *
   * @param member the names that lead to it from the top, joined by dots: {@code
   *     usage.total_tokens}.
   */
  public static ReportedCost ofBodyNumber(String member) {
    return new ReportedCost(Kind.BODY_NUMBER, null, member, 0);
  }

  /** A unit for each so many bytes of the response's content, rounded up. */
  public static ReportedCost ofResponseBytes(int bytesPerUnit) {
    return new ReportedCost(Kind.RESPONSE_BYTES, null, null, bytesPerUnit);
  }

  /** A unit for each so many bytes of the request's content, rounded up. */
  public static ReportedCost ofRequestBytes(int bytesPerUnit) {
    return new ReportedCost(Kind.REQUEST_BYTES, null, null, bytesPerUnit);
  }

  public Kind kind() {
    return kind;
  }

  /** The field that has the number; null unless one has. */
  public FieldName field() {
    return field;
  }

  /** The JSON member that has the number; null unless one has. */
  public String member() {
    return member;
  }

  private static byte[][] path(String member) {
    return Arrays.stream(member.split("\\.", -1))
        .map(name -> name.getBytes(StandardCharsets.UTF_8))
        .toArray(byte[][]::new);
  }

  /** The names that lead to {@link #member}, in UTF-8; null unless one has the number. */
  public byte[][] path() {
    return path;
  }

  /** Whether statuses of gRPC matter. */
  public boolean readsCalls() {
    return !calls.isEmpty();
  }

  /** Whether a response with that status of HTTP costs a unit. */
  public boolean isOfStatus(int status) {
    return statuses.get(status);
  }

  /** Whether a call that ends with that status of gRPC costs a unit. */
  public boolean isOfCall(int grpcStatus) {
    return calls.get(grpcStatus);
  }

  /** The units that so many bytes of content cost. */
  public long units(long bytes) {
    return (bytes + bytesPerUnit - 1) / bytesPerUnit;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ReportedCost that && toString().equals(that.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  @Override
  public String toString() {
    return switch (kind) {
      case STATUS -> kind + " " + statuses + " " + calls;
      case HEADER, TRAILER -> kind + " " + field;
      case BODY_NUMBER -> kind + " " + member;
      case RESPONSE_BYTES, REQUEST_BYTES -> kind + " " + bytesPerUnit;
    };
  }
}
