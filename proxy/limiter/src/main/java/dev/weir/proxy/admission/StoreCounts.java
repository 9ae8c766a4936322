package dev.weir.proxy.admission;

import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.StoreFault;

/**
 * Counts the results of questions to the store, for traffic and for the decision API. Metrics of
 * the store's decisions are about traffic.
 */
final class StoreCounts {
  private final StoreMetrics ofTraffic;

  StoreCounts(StoreMetrics ofTraffic) {
    this.ofTraffic = ofTraffic;
  }

  /** A remembered refusal has decided a question. */
  void refusedByProof(Purpose purpose) {
    switch (purpose) {
      case TRAFFIC -> ofTraffic.refusedByProof();
      case DECISION, DESCRIPTOR, OPERATOR -> {
        // Whoever asks for them counts them.
      }
    }
  }

  /** The store did not decide, and the failure policy did. */
  void fellBack(Purpose purpose, boolean passed) {
    switch (purpose) {
      case TRAFFIC -> ofTraffic.fellBack(passed);
      case DECISION, DESCRIPTOR, OPERATOR -> {
        // Whoever asks for them counts them.
      }
    }
  }

  /** There was no place for a late question. */
  void full() {
    ofTraffic.storeUnavailable(StoreFault.FULL);
  }
}
