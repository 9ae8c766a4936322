package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.PassedLimit;

/**
 * Which fields tell clients about their limits.
 *
 * @param rateLimit {@code RateLimit} and {@code RateLimit-Policy}, as in
 *     draft-ietf-httpapi-ratelimit-headers-11.
 * @param xRateLimit {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}.
 */
public record AnswerSettings(boolean rateLimit, boolean xRateLimit) {
  /**
   * Whether a response's own {@code X-RateLimit} fields make place for ours, as the limit that its
   * request passed leaves less.
   */
  public boolean replaces(PassedLimit limit, IncomingResponse head) {
    long theirs = xRateLimit && limit.policy() != null ? head.rateLimitRemaining() : -1;
    return theirs >= 0 && limit.remaining() < theirs;
  }
}
