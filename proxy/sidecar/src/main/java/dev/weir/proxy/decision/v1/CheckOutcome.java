package dev.weir.proxy.decision.v1;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.downstream.answer.LimitValues;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/** The outcome of one check: a decision, or an error status. Reused. */
final class CheckOutcome {
  static final String NO_RULE = "no rule applies";

  private static final long NS_PER_SECOND = 1_000_000_000;

  /** Fields of {@code CheckRateLimitResponse}. */
  private static final int ALLOWED = 1;

  private static final int CURRENT_COUNT = 2;
  private static final int LIMIT = 3;
  private static final int REMAINING = 4;
  private static final int RESET_AT = 5;
  private static final int RETRY_AFTER_SECONDS = 6;
  private static final int RETRY_AFTER = 7;
  private static final int RULE_ID = 8;
  private static final int STATE = 9;

  /** Fields of a timestamp and of a duration. */
  private static final int SECONDS = 1;

  private static final int NANOS = 2;

  private GrpcStatus status;
  private String message;
  private boolean allowed;
  private long current;
  private long limit;
  private long remaining;

  /** Since the Unix epoch; 0 if no limit applied. */
  private long resetAtNs;

  private long retryAfterNs;

  /** In UTF-8; null if no rule applied. */
  private byte[] ruleId;

  private Verdict.State state;

  /** Sets an error status. */
  void fail(GrpcStatus why, String what) {
    status = why;
    message = what;
  }

  /**
   * Sets the decision of a verdict.
   *
   * @param isRuleWanted whether the check fails if no rule applies.
   * @param isOver whether the call's deadline has passed.
   * @param atNs the time from which the verdict's times count, in the loop's time.
   */
  void set(Verdict verdict, boolean isRuleWanted, boolean isOver, long atNs) {
    if (verdict.ruleId() == null && isRuleWanted && verdict.refusal() == null) {
      fail(GrpcStatus.NOT_FOUND, NO_RULE);
      return;
    }
    status = status(verdict.refusal(), isOver);
    if (status != GrpcStatus.OK) {
      message = message(verdict, isOver);
      return;
    }
    allowed = verdict.allowed();
    current = verdict.current();
    limit = verdict.limit();
    remaining = verdict.policy() == null ? 0 : verdict.remaining();
    resetAtNs = verdict.policy() == null ? 0 : unixNs(atNs + verdict.resetAfterNs());
    retryAfterNs = allowed ? 0 : verdict.retryAfterNs();
    ruleId = verdict.ruleId() == null ? null : verdict.ruleIdUtf8();
    state = verdict.state();
  }

  static long unixNs(long loopNs) {
    return loopNs - LoopClock.unixEpochNs();
  }

  /** The status of a verdict; a refusal by a limit is OK. */
  private static GrpcStatus status(RefusalReason refusal, boolean isOver) {
    if (refusal == null) {
      return GrpcStatus.OK;
    }
    return switch (refusal) {
      case OVER_LIMIT, NEVER_SATISFIABLE, DENIED, BANNED, ADDRESS_BLOCKED -> GrpcStatus.OK;
      case IDENTITY_MISSING,
          IDENTITY_AMBIGUOUS,
          NOT_DECIDED_ONCE,
          IDEMPOTENCY_KEY_REUSED,
          IDEMPOTENCY_KEY_MALFORMED ->
          GrpcStatus.INVALID_ARGUMENT;
      default -> isOver ? GrpcStatus.DEADLINE_EXCEEDED : GrpcStatus.UNAVAILABLE;
    };
  }

  /** The status message for a verdict that is an error. */
  private static String message(Verdict verdict, boolean isOver) {
    RefusalReason refusal = verdict.refusal();
    return switch (refusal) {
      case IDENTITY_MISSING ->
          "dimension: missing (expected: all that the key of rule "
              + verdict.ruleId()
              + " is made of)";
      case IDENTITY_AMBIGUOUS ->
          "identifier: not one (expected: of IP an address, as the key of rule "
              + verdict.ruleId()
              + " has it)";
      case NOT_DECIDED_ONCE ->
          "idempotency_key: given (expected: none, as rule "
              + verdict.ruleId()
              + " is not one of mode exact with one key)";
      case IDEMPOTENCY_KEY_REUSED ->
          "idempotency_key: used for another cost in the last five minutes (expected: the same cost"
              + " as then, or another key)";
      case IDEMPOTENCY_KEY_MALFORMED -> refusal.detail();
      default -> isOver ? "the deadline has passed" : refusal.title();
    };
  }

  GrpcStatus status() {
    return status;
  }

  /** The status message of an error. */
  String message() {
    return message;
  }

  /** Writes a {@code CheckRateLimitResponse}; there must be a decision. */
  void write(ProtoWriter out) {
    out.bool(ALLOWED, allowed)
        .varint(CURRENT_COUNT, current)
        .varint(LIMIT, limit)
        .varint(REMAINING, remaining);
    if (resetAtNs != 0) {
      writeTime(out, RESET_AT, resetAtNs);
    }
    if (retryAfterNs > 0) {
      out.varint(RETRY_AFTER_SECONDS, LimitValues.ceilSeconds(retryAfterNs));
      writeTime(out, RETRY_AFTER, retryAfterNs);
    }
    if (ruleId != null) {
      out.bytes(RULE_ID, ruleId);
    }
    out.varint(STATE, number(state));
  }

  /** The {@code CheckRateLimitResponse} in JSON; there must be a decision. */
  String json() {
    StringBuilder json = new StringBuilder(256);
    json.append("{\"allowed\":").append(allowed);
    json.append(",\"current_count\":").append(current);
    json.append(",\"limit\":").append(limit);
    json.append(",\"remaining\":").append(remaining);
    if (resetAtNs != 0) {
      json.append(",\"reset_at\":\"").append(Instant.ofEpochSecond(0, resetAtNs)).append('"');
    }
    if (retryAfterNs > 0) {
      BigDecimal seconds = BigDecimal.valueOf(retryAfterNs, 9).stripTrailingZeros();
      json.append(",\"retry_after_seconds\":").append(LimitValues.ceilSeconds(retryAfterNs));
      json.append(",\"retry_after\":\"").append(seconds.toPlainString()).append("s\"");
    }
    if (ruleId != null) {
      json.append(",\"rule_id\":\"");
      JsonStringEncoder.getInstance()
          .quoteAsString(new String(ruleId, StandardCharsets.UTF_8), json);
      json.append('"');
    }
    return json.append(",\"state\":\"").append(state).append("\"}\n").toString();
  }

  /** The number of a state in {@code weir.v1.State}. */
  static int number(Verdict.State state) {
    return switch (state) {
      case NORMAL -> 1;
      case WARNING -> 2;
      case THROTTLED -> 3;
    };
  }

  /** Writes a timestamp or a duration of 0 or more. */
  static void writeTime(ProtoWriter out, int field, long ns) {
    int begun = out.beginMessage(field);
    out.varint(SECONDS, ns / NS_PER_SECOND).varint(NANOS, ns % NS_PER_SECOND);
    out.endMessage(begun);
  }
}
