package dev.weir.proxy.downstream.answer;

import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.exchange.PassedLimit;

/**
 * The fields that tell clients about their limits.
 *
 * @param rateLimit {@code RateLimit} and {@code RateLimit-Policy}, as in
 *     draft-ietf-httpapi-ratelimit-headers-11.
 * @param xRateLimit {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}.
 */
public record AnswerSettings(boolean rateLimit, boolean xRateLimit) {
  /**
   * Whether Weir's {@code X-RateLimit} fields replace those of the service's response, as the limit
   * that the request passed has less left.
   */
  public boolean replaces(PassedLimit limit, IncomingResponse head) {
    long theirs = xRateLimit && limit.policy() != null ? head.rateLimitRemaining() : -1;
    return theirs >= 0 && limit.remaining() < theirs;
  }
}
