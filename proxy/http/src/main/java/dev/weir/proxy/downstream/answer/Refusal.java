package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.request.AnswerText;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalAnswer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestIds;
import dev.weir.proxy.request.TextWriter;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import java.util.List;

/**
 * A refusal as values, which each version of HTTP and gRPC write in their own form: Weir's answer,
 * or the rule's own. Described anew for each refusal.
 */
public final class Refusal {
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";
  private static final String ABNORMAL_USAGE =
      "https://iana.org/assignments/http-problem-types#abnormal-usage-detected";
  private static final String NO_TYPE = "about:blank";
  private static final byte[] PROBLEM = ascii(ProblemWriter.CONTENT_TYPE);

  private final RequestIds ids = new RequestIds();

  private RefusalReason reason;
  private QuotaPolicy policy;
  private long remaining;
  private long retryAfterNs;
  private long retryAfterSeconds;
  private long waitSeconds;
  private Verdict.State state;
  private int status;
  private RefusalAnswer answer;
  private byte[] ruleId;

  /**
   * Describes the refusal of a verdict.
   *
   * @param verdict one that does not allow; read during the call only.
   */
  public Refusal describe(Verdict verdict) {
    long retryNs = verdict.retryAfterNs();
    retryAfterNs = retryNs;
    reason = verdict.refusal();
    policy = verdict.policy();
    remaining = verdict.remaining();
    state = verdict.toldState();
    retryAfterSeconds = retryNs == 0 ? 0 : Math.max(1, LimitValues.ceilSeconds(retryNs));
    waitSeconds = LimitValues.ceilSeconds(retryNs > 0 ? retryNs : verdict.resetAfterNs());
    status = verdict.httpStatus();
    answer = verdict.answer();
    if (answer != null) {
      ruleId = verdict.ruleIdUtf8();
      ids.next();
    }
    return this;
  }

  /** The rule's own answer; null if it has none. */
  public RefusalAnswer answer() {
    return answer;
  }

  /** The status of HTTP. */
  public int status() {
    return status;
  }

  /** The number of the status of gRPC. */
  int grpcStatus() {
    return answer == null || answer.call().status() == null
        ? reason.grpcStatus()
        : answer.call().status().code();
  }

  /** The message of the rule's own answer to calls; null if it has none. */
  AnswerText grpcMessage() {
    return answer == null ? null : answer.call().message();
  }

  /** The fields that the rule's own answer has beside others; mostly none. */
  public List<RefusalAnswer.Field> fields() {
    return answer == null ? List.of() : answer.fields();
  }

  /** The value of {@code Content-Type}; not to be changed. */
  public byte[] contentType() {
    return answer == null || answer.type() == null ? PROBLEM : answer.type().bytes();
  }

  /** Appends the content. */
  public void writeBody(ByteBuf out) {
    if (answer == null || answer.body() == null) {
      ProblemWriter.write(out, this);
    } else {
      write(out, answer.body());
    }
  }

  /** Appends a text of the rule's own answer, with the values of this refusal. */
  public void write(ByteBuf out, AnswerText text) {
    int count = text.placeholderCount();
    for (int i = 0; i < count; i++) {
      out.writeBytes(text.literal(i));
      switch (text.placeholder(i)) {
        case RETRY_AFTER -> TextWriter.writeDecimal(out, retryAfterSeconds);
        case LIMIT -> TextWriter.writeDecimal(out, policy == null ? 0 : policy.quota());
        case RULE -> out.writeBytes(ruleId);
        case REQUEST_ID -> ids.write(out);
      }
    }
    out.writeBytes(text.literal(count));
  }

  /** The reason, which determines the status of HTTP and of gRPC, unless the rule does. */
  public RefusalReason reason() {
    return reason;
  }

  /** The limit that refused; null if none did. */
  public QuotaPolicy policy() {
    return policy;
  }

  /** Units left in that limit: {@code r} of the RateLimit field. */
  public long remaining() {
    return remaining;
  }

  /** The state to tell; null for none. */
  public Verdict.State state() {
    return state;
  }

  /** Seconds until the client may expect more of that limit: {@code t} of the RateLimit field. */
  public long waitSeconds() {
    return waitSeconds;
  }

  /**
   * The shortest wait in nanoseconds after which the same request would pass; 0 if none is known.
   */
  public long retryAfterNs() {
    return retryAfterNs;
  }

  /**
   * Seconds after which the same request would pass, 1 or more: {@code Retry-After}. 0 if no wait
   * is known.
   */
  public long retryAfterSeconds() {
    return retryAfterSeconds;
  }

  /** The value of {@code WWW-Authenticate}, which a 401 must have; otherwise null. */
  public String challenge() {
    return reason.challenge();
  }

  /** The {@code type} of the problem (RFC 9457) for a reason. */
  static String problemType(RefusalReason reason) {
    if (reason == RefusalReason.BANNED) {
      return ABNORMAL_USAGE;
    }
    return reason.httpStatus() == 429 ? QUOTA_EXCEEDED : NO_TYPE;
  }
}
