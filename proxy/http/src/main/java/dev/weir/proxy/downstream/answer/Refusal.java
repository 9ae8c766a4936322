package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;

/**
 * A refusal as values, which each version of HTTP and gRPC write in their own form. Described anew
 * for each refusal.
 */
public final class Refusal {
  private static final String QUOTA_EXCEEDED =
      "https://iana.org/assignments/http-problem-types#quota-exceeded";
  private static final String ABNORMAL_USAGE =
      "https://iana.org/assignments/http-problem-types#abnormal-usage-detected";
  private static final String NO_TYPE = "about:blank";

  private RefusalReason reason;
  private QuotaPolicy policy;
  private long remaining;
  private long retryAfterNs;
  private long retryAfterSeconds;
  private long waitSeconds;
  private Verdict.State state;

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
    return this;
  }

  /** The reason, which determines the status of HTTP and of gRPC. */
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
