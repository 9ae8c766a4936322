package dev.weir.proxy.envoy.call;

import java.util.concurrent.atomic.LongAdder;

/** Counts what went wrong with calls and with files, for all event loops. Any thread. */
public final class RateLimitErrors {
  private final LongAdder caller = new LongAdder();
  private final LongAdder store = new LongAdder();
  private final LongAdder domain = new LongAdder();
  private final LongAdder shadow = new LongAdder();

  /** A call could not be decided, by its caller's fault. */
  void ofCaller() {
    caller.increment();
  }

  /** The store gave no decision on a call. */
  void ofStore() {
    store.increment();
  }

  /** A call was of a domain that is in no file, and passed. */
  void ofDomain() {
    domain.increment();
  }

  /** A call that was over its limits passed, as all do. */
  void ofShadow() {
    shadow.increment();
  }

  public long shadowCount() {
    return shadow.sum();
  }

  public long domainCount() {
    return domain.sum();
  }

  public long callerCount() {
    return caller.sum();
  }

  public long storeCount() {
    return store.sum();
  }
}
