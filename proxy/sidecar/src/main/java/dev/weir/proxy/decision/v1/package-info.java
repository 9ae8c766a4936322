/** The service {@code weir.v1.RateLimiter} and the checks of {@code /v1/check}. Hot path. */
package dev.weir.proxy.decision.v1;
