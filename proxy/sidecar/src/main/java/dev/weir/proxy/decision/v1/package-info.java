/**
 * The service {@code weir.v1.RateLimiter} and the checks of {@code /v1/check}: what is asked, what
 * is answered. On the hot path.
 */
package dev.weir.proxy.decision.v1;
