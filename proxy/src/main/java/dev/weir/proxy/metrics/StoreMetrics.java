package dev.weir.proxy.metrics;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;

/**
 * What one event loop asked of the store, and what came of it. Every method that changes it is
 * called by that loop only and neither allocates, locks nor waits. Any thread may read.
 */
public final class StoreMetrics implements StoreObserver {
  private final Counters events = new Counters(Event.values().length);
  private final Counters faults = new Counters(StoreFault.values().length);
  private final LatencyRecorder store;

  StoreMetrics(LatencyRecorder store) {
    this.store = store;
  }

  /** A request was refused because the store's last answer proves that it would be. */
  public void refusedByProof() {
    events.increment(Event.REFUSED_BY_PROOF.ordinal());
  }

  /** A request got no decision from the store, and its rule's policy decided. */
  public void fellBack(boolean passed) {
    events.increment((passed ? Event.FALLBACK_ALLOWED : Event.FALLBACK_REFUSED).ordinal());
  }

  @Override
  public void storeSent(int checkCount, int requestCount) {
    events.increment(Event.BATCH.ordinal());
    events.add(Event.CHECK.ordinal(), checkCount);
    events.add(Event.REQUEST.ordinal(), requestCount);
  }

  @Override
  public void storeAnswered(long storeNs) {
    store.record(storeNs);
  }

  @Override
  public void storeAnsweredLate() {
    events.increment(Event.LATE.ordinal());
  }

  @Override
  public void storeRefused() {
    events.increment(Event.ERROR.ordinal());
  }

  @Override
  public void storeResent() {
    events.increment(Event.RESENT.ordinal());
  }

  @Override
  public void storeUnavailable(StoreFault fault) {
    faults.increment(fault.ordinal());
  }

  @Override
  public void storeConnected(boolean succeeded) {
    events.increment((succeeded ? Event.CONNECTED : Event.CONNECT_FAILED).ordinal());
  }

  @Override
  public void storeDebts(long requestCount, boolean charged) {
    events.add((charged ? Event.DEBT_CHARGED : Event.DEBT_FORGOTTEN).ordinal(), requestCount);
  }

  @Override
  public void storeRefunds(long requestCount, boolean sent) {
    events.add((sent ? Event.REFUND : Event.REFUND_LOST).ordinal(), requestCount);
  }

  long count(Event event) {
    return events.getAcquire(event.ordinal());
  }

  long count(StoreFault fault) {
    return faults.getAcquire(fault.ordinal());
  }

  /** What is counted without a label, by the metric's name. */
  enum Event {
    BATCH("batches", "Calls of the script, each for a batch of checks."),
    CHECK("checks", "Checks in those batches: budgets that were asked about."),
    REQUEST("requests", "Requests that those checks stood for."),
    LATE("late_answers", "Batches that were answered after their deadline."),
    ERROR("errors", "Batches that the server answered with an error."),
    RESENT("resent", "Batches sent again: with the script's source, or to a slot's new owner."),
    CONNECTED("connects", "Connections opened."),
    CONNECT_FAILED("connect_failures", "Connections that could not be opened."),
    DEBT_CHARGED(
        "debts_charged",
        "Requests that passed undecided, and were charged later; not those over by then."),
    DEBT_FORGOTTEN(
        "debts_forgotten", "Requests that passed undecided, and for which there was no room."),
    REFUND("refunds", "Charges given back, as the request did not pass."),
    REFUND_LOST("refunds_lost", "The same, but the store could not be reached: they stay."),
    REFUSED_BY_PROOF("refused_by_proof", "Requests refused here by the store's last answer."),
    FALLBACK_ALLOWED("fallback_allowed", "Requests passed by on-store-failure."),
    FALLBACK_REFUSED("fallback_refused", "Requests refused by on-store-failure.");

    private final String metric;
    private final String help;

    Event(String name, String help) {
      this.metric = "weir_store_" + name;
      this.help = help;
    }

    String metric() {
      return metric;
    }

    String help() {
      return help;
    }
  }
}
