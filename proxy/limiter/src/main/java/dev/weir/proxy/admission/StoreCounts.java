package dev.weir.proxy.admission;

import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.StoreFault;

/**
 * Counts what became of questions to the store, by their purpose. What metrics say of the store's
 * decisions they say of traffic.
 */
final class StoreCounts {
  private final StoreMetrics ofTraffic;

  StoreCounts(StoreMetrics ofTraffic) {
    this.ofTraffic = ofTraffic;
  }

  /** A question was answered by what the store has said before. */
  void refusedByProof(Purpose purpose) {
    switch (purpose) {
      case TRAFFIC -> ofTraffic.refusedByProof();
      case DECISION, DESCRIPTOR, OPERATOR -> {
        // Whoever asks for them counts them.
      }
    }
  }

  /** The store did not decide, and a policy has. */
  void fellBack(Purpose purpose, boolean passed) {
    switch (purpose) {
      case TRAFFIC -> ofTraffic.fellBack(passed);
      case DECISION, DESCRIPTOR, OPERATOR -> {
        // Whoever asks for them counts them.
      }
    }
  }

  /** There was no place to remember a question in. */
  void full() {
    ofTraffic.storeUnavailable(StoreFault.FULL);
  }
}
