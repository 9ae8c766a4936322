package dev.weir.proxy.metrics;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;

/**
 * Counts of what one event loop asked of the store, and of what came of it. Every method that
 * changes it is called by that loop only and neither allocates, locks nor waits. Any thread may
 * read.
 */
public final class StoreMetrics implements StoreObserver {
  private final Counters counters;
  private final LatencyRecorder store;
  private final HoldMetrics holds;

  /**
   * @param counters the event loop's row.
   */
  StoreMetrics(Counters counters, LatencyRecorder store) {
    this.counters = counters;
    this.store = store;
    this.holds = new HoldMetrics(counters);
  }

  /** Counts of units that are held in the store. */
  public HoldMetrics holds() {
    return holds;
  }

  /** A request was refused because the store's last answer proves that it would be. */
  public void refusedByProof() {
    counters.increment(LoopFigures.STORE_REFUSED_BY_PROOF.word());
  }

  /** A request got no decision from the store, and its rule's policy decided. */
  public void fellBack(boolean passed) {
    counters.increment(
        (passed ? LoopFigures.STORE_FALLBACK_ALLOWED : LoopFigures.STORE_FALLBACK_REFUSED).word());
  }

  @Override
  public void storeSent(int checkCount, int requestCount) {
    counters.increment(LoopFigures.STORE_BATCHES.word());
    counters.add(LoopFigures.STORE_CHECKS.word(), checkCount);
    counters.add(LoopFigures.STORE_REQUESTS.word(), requestCount);
  }

  @Override
  public void storeAnswered(long storeNs) {
    store.record(storeNs);
  }

  @Override
  public void storeAnsweredLate() {
    counters.increment(LoopFigures.STORE_LATE_ANSWERS.word());
  }

  @Override
  public void storeRefused() {
    counters.increment(LoopFigures.STORE_ERRORS.word());
  }

  @Override
  public void storeResent() {
    counters.increment(LoopFigures.STORE_RESENT.word());
  }

  @Override
  public void storeUnavailable(StoreFault fault) {
    counters.increment(LoopFigures.STORE_UNDECIDED.word() + fault.ordinal());
  }

  @Override
  public void storeConnected(boolean succeeded) {
    counters.increment(
        (succeeded ? LoopFigures.STORE_CONNECTS : LoopFigures.STORE_CONNECT_FAILURES).word());
  }

  @Override
  public void storeDebts(long requestCount, boolean charged) {
    counters.add(
        (charged ? LoopFigures.STORE_DEBTS_CHARGED : LoopFigures.STORE_DEBTS_FORGOTTEN).word(),
        requestCount);
  }

  @Override
  public void storeRefunds(long requestCount, boolean sent) {
    counters.add(
        (sent ? LoopFigures.STORE_REFUNDS : LoopFigures.STORE_REFUNDS_LOST).word(), requestCount);
  }
}
