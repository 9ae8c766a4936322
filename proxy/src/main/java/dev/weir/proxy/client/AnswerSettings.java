package dev.weir.proxy.client;

/**
 * Which fields tell clients about their limits.
 *
 * @param rateLimit {@code RateLimit} and {@code RateLimit-Policy}, as in
 *     draft-ietf-httpapi-ratelimit-headers-11.
 * @param xRateLimit {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}.
 */
public record AnswerSettings(boolean rateLimit, boolean xRateLimit) {}
