package dev.weir.proxy.envoy.call;

import java.util.concurrent.atomic.LongAdder;

/** Counts what went wrong with calls, for all event loops. Any thread. */
public final class RateLimitErrors {
  /** Calls that could not be decided, by their callers' fault. */
  public final LongAdder ofCaller = new LongAdder();

  /** Calls on which the store gave no decision. */
  public final LongAdder ofStore = new LongAdder();

  /** Calls of a domain that is in no file, which passed. */
  public final LongAdder ofDomain = new LongAdder();

  /** Calls that were over their limits and passed, as all do in shadow mode. */
  public final LongAdder ofShadow = new LongAdder();
}
