package dev.weir.proxy.envoy.call;

import java.util.concurrent.atomic.LongAdder;

/** Counts calls that failed or passed without a limit, for all event loops. Any thread. */
public final class RateLimitErrors {
  /** Calls that could not be decided because of their callers. */
  public final LongAdder ofCaller = new LongAdder();

  /** Calls on which the store gave no decision. */
  public final LongAdder ofStore = new LongAdder();

  /** Calls of a domain that is in no file, which passed. */
  public final LongAdder ofDomain = new LongAdder();

  /** Calls that were over their limits and passed, in the service's shadow mode. */
  public final LongAdder ofShadow = new LongAdder();
}
