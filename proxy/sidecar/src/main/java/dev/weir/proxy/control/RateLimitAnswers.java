package dev.weir.proxy.control;

/**
 * Settings of all answers of Envoy's rate-limit service, whatever its files say.
 *
 * @param headers of domains whose files say none.
 * @param isShadow whether a call that is over its limits passes.
 * @param areQuotas whether every limit is one that refuses only if all of the call's do.
 */
public record RateLimitAnswers(LimitHeaders headers, boolean isShadow, boolean areQuotas) {
  /** Answers as the files say. */
  public static final RateLimitAnswers DEFAULT =
      new RateLimitAnswers(LimitHeaders.OFF, false, false);
}
