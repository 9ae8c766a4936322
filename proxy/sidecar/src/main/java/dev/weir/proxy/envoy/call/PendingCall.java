package dev.weir.proxy.envoy.call;

import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.envoy.file.Budgets;
import dev.weir.proxy.envoy.file.Domain;
import dev.weir.proxy.metrics.DescriptorCounters;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.StoreCallback;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.map.StoreKeys;
import java.util.Arrays;

/**
 * A call on its way to its verdict: what it charges and where that is counted, and, where the store
 * is asked, how many of its questions have no answer yet. Reused.
 */
final class PendingCall implements StoreCallback {
  private static final int BYTES_AT_FIRST = 256;

  final RateLimitVerdict verdict = new RateLimitVerdict();
  final CallCharges charges = new CallCharges();
  final ChargesTogether together = new ChargesTogether();
  private final RateLimiter limiter;
  private DescriptorCounters[] counters = new DescriptorCounters[8];
  Domain domain;
  RateLimitAsker asker;

  /** Questions to the store without an answer, and one more while they are asked. */
  int openCount;

  /** The keys of its charges in the store, where they may have to go back; else null. */
  private StoreKeys keys;

  private boolean isUndecided;

  PendingCall(RateLimiter limiter) {
    this.limiter = limiter;
  }

  void begin(RateLimitCall call, Domain of, LimitHeaders headers, RateLimitAsker toTell) {
    domain = of;
    asker = toTell;
    openCount = 1;
    isUndecided = false;
    charges.clear();
    together.clear();
    verdict.start(call.descriptorCount(), headers);
    if (keys != null) {
      keys.clear();
    }
  }

  /** Forgets the rules and the asker, so that they may be forgotten by all. */
  void end() {
    domain = null;
    asker = null;
    charges.clear();
  }

  /** Whether its memory has grown for a call of many descriptors. */
  boolean isLarge() {
    return verdict.isLarge();
  }

  /** Adds a charge. */
  void add(int descriptor, Budgets budgets, long hits, long key, DescriptorCounters counts) {
    int charge = charges.count();
    charges.add(descriptor, budgets, hits, key);
    if (charge == counters.length) {
      counters = Arrays.copyOf(counters, 2 * charge);
    }
    counters[charge] = counts;
  }

  DescriptorCounters counters(int charge) {
    return counters[charge];
  }

  /** Keeps the key of a charge in the store, by the charge's place. */
  void keep(int charge, StoreKeys key) {
    if (keys == null) {
      keys = new StoreKeys(RateLimitCall.MAX_DESCRIPTORS, BYTES_AT_FIRST);
    }
    while (keys.count() < charge) {
      keys.add(key, 0, 1); // the place of one that this node decides on
    }
    keys.add(key, 0, 1);
  }

  /** The keys of its charges in the store, by the charges' places. */
  StoreKeys keys() {
    return keys;
  }

  /** Whether the store gave no decision on one of its charges. */
  boolean isUndecided() {
    return isUndecided;
  }

  /** The store gives no decision on one of its charges. */
  void undecided() {
    isUndecided = true;
  }

  @Override
  public void decided(long charge, StoreDecision decision) {
    limiter.decided(this, (int) charge, decision);
  }

  @Override
  public boolean unavailable(long charge, StoreFault fault) {
    undecided();
    limiter.ended(this);
    return false;
  }
}
