package dev.weir.bench.check;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import java.time.Duration;

/**
 * Other libraries, as their manuals show them: a limiter of its own for each key, with the
 * library's own clock. The limiters are Objects so that one bench fits all; the cast costs less
 * than a nanosecond.
 */
@SuppressWarnings("UnstableApiUsage")
public enum Library {
  BUCKET4J {
    @Override
    Object roomy() {
      return Bucket.builder()
          .addLimit(
              limit -> limit.capacity(PER_SECOND).refillGreedy(PER_SECOND, Duration.ofSeconds(1)))
          .build();
    }

    @Override
    Object tight() {
      return Bucket.builder()
          .addLimit(limit -> limit.capacity(1).refillGreedy(1, Duration.ofDays(LONG_DAYS)))
          .build();
    }

    @Override
    boolean ask(Object limiter) {
      return ((Bucket) limiter).tryConsume(1);
    }
  },

  RESILIENCE4J {
    @Override
    Object roomy() {
      return io.github.resilience4j.ratelimiter.RateLimiter.of("roomy", ROOMY);
    }

    @Override
    Object tight() {
      return io.github.resilience4j.ratelimiter.RateLimiter.of("tight", TIGHT);
    }

    @Override
    boolean ask(Object limiter) {
      return ((io.github.resilience4j.ratelimiter.RateLimiter) limiter).acquirePermission();
    }
  },

  GUAVA {
    @Override
    Object roomy() {
      return RateLimiter.create(PER_SECOND);
    }

    @Override
    Object tight() {
      return RateLimiter.create(1.0 / Duration.ofDays(LONG_DAYS).toSeconds());
    }

    @Override
    boolean ask(Object limiter) {
      return ((RateLimiter) limiter).tryAcquire();
    }
  };

  private static final int PER_SECOND = 1_000_000_000;
  private static final int LONG_DAYS = 100;

  private static final RateLimiterConfig ROOMY = config(PER_SECOND, Duration.ofSeconds(1));
  private static final RateLimiterConfig TIGHT = config(1, Duration.ofDays(LONG_DAYS));

  private static RateLimiterConfig config(int permits, Duration period) {
    return RateLimiterConfig.custom()
        .limitForPeriod(permits)
        .limitRefreshPeriod(period)
        .timeoutDuration(Duration.ZERO)
        .build();
  }

  /** A limiter that no thread exhausts. */
  abstract Object roomy();

  /** A limiter that lets one unit through, then none for days. */
  abstract Object tight();

  /** Takes one unit, without waiting. */
  abstract boolean ask(Object limiter);
}
