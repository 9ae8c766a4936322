package dev.weir.proxy.envoy.call;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.LocalGate;
import dev.weir.proxy.control.RateLimitAnswers;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.rule.identity.KeyHasher;

/** Limiters as tests have them. */
final class LimiterRig {
  private LimiterRig() {}

  /** One that has no store. */
  static RateLimiter local(
      LimitTables tables, LoopMetrics metrics, RateLimitErrors errors, LoopClock clock) {
    return local(tables, metrics, errors, clock, 0);
  }

  /** As {@link #local(LimitTables, LoopMetrics, RateLimitErrors, LoopClock)}, with an epoch. */
  static RateLimiter local(
      LimitTables tables,
      LoopMetrics metrics,
      RateLimitErrors errors,
      LoopClock clock,
      long unixEpochNs) {
    return of(
        admission(tables, metrics, clock),
        metrics,
        errors,
        clock,
        unixEpochNs,
        RateLimitAnswers.DEFAULT);
  }

  /** Admission without a store. */
  static AdmissionHandler admission(LimitTables tables, LoopMetrics metrics, LoopClock clock) {
    return new AdmissionHandler(new LocalGate(tables), null, metrics, clock, null);
  }

  static RateLimiter of(
      AdmissionHandler admission,
      LoopMetrics metrics,
      RateLimitErrors errors,
      LoopClock clock,
      long unixEpochNs,
      RateLimitAnswers answers) {
    return new RateLimiter(
        admission, KeyHasher.withKey(1, 2), metrics, errors, clock, unixEpochNs, answers);
  }
}
